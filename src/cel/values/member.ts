/** What is at a key of a map, an index of a list, or a field of an object. */

import { doubleText } from "./number-text.ts";
import { Bytes, Dictionary, EvaluationError, List, ObjectValue, typeNameOf, Uint, type Value } from "./values.ts";

/** Undefined: there is nothing. Null is a value. An error: a key of that type can never be there. */
export function member(value: Value, key: Value): Value | undefined {
  if (value instanceof Dictionary) {
    if (!isKey(key)) return notAKey(key);
    return value.takesOnlyTexts && typeof key !== "string" ? noOverload : value.get(key);
  }
  if (value instanceof List) {
    const at = indexOf(key);
    if (typeof at !== "number") return at;
    return at >= 0 && at < value.size ? value.at(at) : undefined;
  }
  if (value instanceof ObjectValue) return typeof key === "string" ? value.get(key) : noOverload;
  return isKey(key) ? undefined : notAKey(key);
}

export function hasMember(value: Value, key: Value): boolean | EvaluationError {
  // A field that is not set may read as the zero of its type.
  if (value instanceof ObjectValue && typeof key === "string" && !value.has(key)) return false;
  const found = member(value, key);
  return found instanceof EvaluationError ? found : found !== undefined;
}

export function noMember(value: Value, key: Value): EvaluationError {
  return new EvaluationError(`${value instanceof List ? "index out of bounds" : "no such key"}: ${keyText(key)}`);
}

const noOverload = new EvaluationError("no such overload");

const isKey = (key: Value): boolean =>
  typeof key === "string" ||
  typeof key === "bigint" ||
  typeof key === "number" ||
  typeof key === "boolean" ||
  key instanceof Uint;

/** Keys that are computed; expressions in which others are written are refused. */
const notAKey = (key: Value): EvaluationError => new EvaluationError(`invalid qualifier type: ${typeNameOf(key)}`);

function indexOf(key: Value): number | EvaluationError {
  const number = key instanceof Uint ? key.value : key;
  if (typeof number === "bigint") return Number(number);
  if (typeof number === "number")
    return Number.isInteger(number)
      ? number
      : new EvaluationError(`unsupported index value ${doubleText(number)} in list`);
  if (!isKey(key)) return notAKey(key);
  return new EvaluationError(`unsupported index type '${typeNameOf(key)}' in list`);
}

export function keyText(key: Value): string {
  if (typeof key === "number") return doubleText(key);
  if (key instanceof Uint) return String(key.value);
  if (key instanceof Bytes) return Buffer.from(key.value).toString();
  return typeof key === "object" && key !== null ? typeNameOf(key) : String(key);
}
