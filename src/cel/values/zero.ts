/** Whether a value is the zero of its type: false, 0, "", nothing in it. */

import { Bytes, Dictionary, Duration, List, ObjectValue, Optional, Timestamp, Uint, type Value } from "./values.ts";

/** The first instant of the year 1. */
const yearOne = -62_135_596_800_000_000_000n;

export function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof List || value instanceof Dictionary || value instanceof ObjectValue) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Bytes) return value.value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.nanos === yearOne;
  return value instanceof Optional && value.value === undefined;
}
