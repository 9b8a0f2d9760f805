/** Values that are a number or a text: port names and numbers, counts and percentages. */

export type IntOrString = number | string;

const int32Min = -(2 ** 31);
const int32Max = 2 ** 31 - 1;

/** undefined: neither a text nor a whole number of 32 bits. */
export function parseIntOrString(value: unknown): IntOrString | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" && Number.isInteger(value) && value >= int32Min && value <= int32Max
    ? value
    : undefined;
}
