/** Order of values of one type, and of numbers of any. */

import { Bytes, Duration, EvaluationError, Timestamp, Uint, type Value } from "./values.ts";

/** Negative, zero or positive; NaN where a double is not a number. Beside a double an integer counts as the nearest double. */
export function compare(a: Value, b: Value): number | EvaluationError {
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  if (
    (typeof left === "bigint" || typeof left === "number") &&
    (typeof right === "bigint" || typeof right === "number")
  ) {
    if (typeof left === typeof right) return left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN;
    return compare(Number(left), Number(right));
  }
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if ((a instanceof Duration && b instanceof Duration) || (a instanceof Timestamp && b instanceof Timestamp))
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  if (a instanceof Bytes && b instanceof Bytes) return Buffer.compare(a.value, b.value);
  return new EvaluationError("no such overload");
}

/** By code points: UTF-16 units would put U+FF5E after an emoji. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    const isLeftPair = left >= 0xd800 && left <= 0xdfff;
    const isRightPair = right >= 0xd800 && right <= 0xdfff;
    if (isLeftPair !== isRightPair) return isLeftPair ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}
