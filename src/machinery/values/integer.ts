/** Whole numbers: of 64 bits in texts that are not JSON (queries, annotations), and values that are a number or a text. */

/** Undefined: not a whole number, or it does not fit. A sign and leading zeros are allowed. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,64}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/**
 * Fields of 64 bits are declared as numbers, and hold a bigint where a number would not be exact. Arithmetic does not mix the two, so
 * code that adds or multiplies such a field uses the functions below.
 */
export function int64Of(value: bigint): number {
  const field: number | bigint = value >= -safeMax && value <= safeMax ? Number(value) : value;
  return field as number; // as decoding leaves such fields
}

const safeMax = BigInt(Number.MAX_SAFE_INTEGER);

/** The field after this one; after the last one comes the first, as in Go. */
export const nextInt64 = (field: number): number => int64Of(BigInt.asIntN(64, BigInt(field) + 1n));

export const compareInt64 = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

/** Seconds in a field of 64 bits as milliseconds. Beyond 2^53 the difference of a millisecond does not matter. */
export const secondsMs = (field: number): number => Number(field) * 1_000;

type IntOrString = number | string;

const int32Min = -(2 ** 31);
const int32Max = 2 ** 31 - 1;

/** undefined: neither a text nor a whole number of 32 bits. */
export function parseIntOrString(value: unknown): IntOrString | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" && Number.isInteger(value) && value >= int32Min && value <= int32Max
    ? value
    : undefined;
}

/**
 * A plain number, or a percentage of `total`. A text that is not a percentage counts as zero; validation refuses it.
 */
export function scaledValue(value: IntOrString, total: number, round: "up" | "down"): number {
  if (typeof value === "number") return value;
  const percent = /^([0-9]{1,9})%$/.exec(value)?.[1];
  if (percent === undefined) return 0;
  const part = (Number(percent) * total) / 100;
  return round === "up" ? Math.ceil(part) : Math.floor(part);
}
