/** Whether a value is the zero of its type: false, 0, "", nothing in it. */

import { Bytes, Dictionary, Duration, List, ObjectValue, Optional, Timestamp, Uint, type Value } from "./values.ts";

export function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof List || value instanceof Dictionary || value instanceof ObjectValue) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Bytes) return value.value.length === 0;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanos === 0n;
  return value instanceof Optional && value.value === undefined;
}
