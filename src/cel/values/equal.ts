/** Equality: numbers by value whatever their type, lists by items, maps by entries; values of different types are not equal. */

import type { Meter } from "../evaluate/frame.ts";
import {
  Bytes,
  Dictionary,
  Duration,
  EvaluationError,
  List,
  ObjectValue,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

export function equal(a: Value, b: Value, meter: Meter): boolean | EvaluationError {
  if (a === b) return true;
  switch (typeof a) {
    case "string":
      return false;
    case "boolean":
      return false;
    case "bigint":
    case "number":
      return equalNumbers(a, b);
  }
  if (a === null) return false;
  if (a instanceof EvaluationError) return a;
  if (b instanceof EvaluationError) return b;
  if (a instanceof List) return b instanceof List && equalLists(a, b, meter);
  if (a instanceof Dictionary) return b instanceof Dictionary && equalMaps(a, b, meter);
  if (a instanceof ObjectValue) return meter.work(1) ?? a.equals(b, (x, y) => equal(x, y, meter));
  if (a instanceof Uint) return equalNumbers(a, b);
  if (a instanceof Bytes) return b instanceof Bytes && Buffer.compare(a.value, b.value) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Opaque) return a.equals(b);
  if (!(b instanceof Optional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equal(a.value, b.value, meter);
}

/** Beside a double an integer counts as the nearest double. */
function equalNumbers(a: Value, b: Value): boolean {
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  if (typeof right !== "bigint" && typeof right !== "number") return false;
  return typeof left === typeof right ? left === right : Number(left) === Number(right);
}

function equalLists(a: List, b: List, meter: Meter): boolean | EvaluationError {
  if (a.size !== b.size) return false;
  const over = meter.items(a.size);
  if (over !== undefined) return over;
  if (a.equality === "map") return equalByKey(a, b, meter);
  if (a.equality === "set") return isSubset(a, b, meter);
  for (let at = 0; at < a.size; at++) {
    const same = equal(a.at(at), b.at(at), meter);
    if (same !== true) return same;
  }
  return true;
}

/** Whether all items of the first are in the second. */
function isSubset(a: List, b: List, meter: Meter): boolean | EvaluationError {
  for (let at = 0; at < a.size; at++) {
    const found = contains(b, a.at(at), meter);
    if (found !== true) return found;
  }
  return true;
}

function equalByKey(a: List, b: List, meter: Meter): boolean | EvaluationError {
  const byKey = new Map<string | undefined, Value>();
  for (let at = 0; at < a.size; at++) byKey.set(a.keyOf(at), a.at(at));
  for (let at = 0; at < b.size; at++) {
    const item = b.at(at);
    const own = byKey.get(a.keyOfItem(item));
    if (own === undefined) return false;
    const same = equal(own, item, meter);
    if (same !== true) return same;
  }
  return true;
}

function equalMaps(a: Dictionary, b: Dictionary, meter: Meter): boolean | EvaluationError {
  if (a.size !== b.size) return false;
  const over = meter.items(a.size);
  if (over !== undefined) return over;
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined) return false;
    const same = equal(a.get(key)!, other, meter);
    if (same !== true) return same;
  }
  return true;
}

/** `item in list`; an error only where no item is equal. */
export function contains(list: List, item: Value, meter: Meter): boolean | EvaluationError {
  // Texts that differ only at their end are read to their end.
  const over =
    meter.items(list.size) ?? (typeof item === "string" ? meter.work(list.size * (item.length >> 8)) : undefined);
  if (over !== undefined) return over;
  let failed: EvaluationError | undefined;
  for (let at = 0; at < list.size; at++) {
    const same = equal(list.at(at), item, meter);
    if (same === true) return true;
    if (same !== false) {
      if (same.isFatal) return same;
      failed ??= same;
    }
  }
  return failed ?? false;
}
