/** Operators on ints, which most expressions consist of, without a choice of overloads. */

import { int64Max, int64Min, type Value } from "../values/values.ts";

type FastPath = (a: Value, b: Value) => Value | undefined;

const arithmetic =
  (compute: (a: bigint, b: bigint) => bigint): FastPath =>
  (a, b) => {
    if (typeof a !== "bigint" || typeof b !== "bigint") return undefined;
    const result = compute(a, b);
    // An overflow is reported by the overload.
    return result > int64Max || result < int64Min ? undefined : result;
  };
const division = (compute: (a: bigint, b: bigint) => bigint): FastPath => {
  const divide = arithmetic(compute);
  return (a, b) => (b === 0n ? undefined : divide(a, b));
};
const order =
  (test: (a: bigint, b: bigint) => boolean): FastPath =>
  (a, b) =>
    typeof a === "bigint" && typeof b === "bigint" ? test(a, b) : undefined;
/** Only what costs one unit: numbers, and texts that are short on one side. */
const equality =
  (isEqual: boolean): FastPath =>
  (a, b) => {
    if (typeof a === "bigint" && typeof b === "bigint") return (a === b) === isEqual;
    if (typeof a === "boolean" && typeof b === "boolean") return (a === b) === isEqual;
    if (typeof a !== "string" || typeof b !== "string") return undefined;
    const isShort = (a.length <= 10 || b.length <= 10) && a.length > 0 && b.length > 0;
    return isShort ? (a === b) === isEqual : undefined;
  };

export const fastPaths: ReadonlyMap<string, FastPath> = new Map([
  ["_+_", arithmetic((a, b) => a + b)],
  ["_-_", arithmetic((a, b) => a - b)],
  ["_*_", arithmetic((a, b) => a * b)],
  ["_/_", division((a, b) => a / b)],
  ["_%_", division((a, b) => a % b)],
  ["_<_", order((a, b) => a < b)],
  ["_<=_", order((a, b) => a <= b)],
  ["_>_", order((a, b) => a > b)],
  ["_>=_", order((a, b) => a >= b)],
  ["_==_", equality(true)],
  ["_!=_", equality(false)],
]);
