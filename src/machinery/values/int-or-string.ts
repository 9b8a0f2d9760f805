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

/** The number before the per cent sign of "25%"; undefined: not a percentage. */
export function percentOf(value: IntOrString): number | undefined {
  return typeof value === "string" && value.length <= 12 && /^[-+]?\d{1,10}%$/.test(value)
    ? Number(value.slice(0, -1))
    : undefined;
}

export interface ScaleOptions {
  /** What 100 % is. */
  readonly total: number;
  /** Whether a part counts as a whole. */
  readonly roundUp: boolean;
}

/** A count, or a percentage of `total`; undefined: a text that is no percentage. */
export function scaledIntOrPercent(value: IntOrString, { total, roundUp }: ScaleOptions): number | undefined {
  if (typeof value === "number") return value;
  const percent = percentOf(value);
  if (percent === undefined) return undefined;
  return roundUp ? Math.ceil((percent * total) / 100) : Math.floor((percent * total) / 100);
}
