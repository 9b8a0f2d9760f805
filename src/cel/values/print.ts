/** Values as an expression would write them: for people, and for tests. */

import { doubleText } from "./number-text.ts";
import { durationText, timestampText } from "./times.ts";
import {
  Bytes,
  Dictionary,
  Duration,
  EvaluationError,
  List,
  ObjectValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

/** Items beyond are left out. */
const shownItemsMax = 1_000;

export function printValue(value: Value): string {
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Number.isInteger(value) ? value.toFixed(1) : doubleText(value);
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Bytes) return `b${JSON.stringify(Buffer.from(value.value).toString("latin1"))}`;
  if (value instanceof Duration) return `duration("${durationText(value)}")`;
  if (value instanceof Timestamp) return `timestamp("${timestampText(value)}")`;
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Optional)
    return value.value === undefined ? "optional.none()" : `optional.of(${printValue(value.value)})`;
  if (value instanceof List) return `[${shown(value.size, (at) => printValue(value.at(at)))}]`;
  if (value instanceof Dictionary) {
    const keys = value.keys();
    return `{${shown(keys.length, (at) => `${printValue(keys[at]!)}: ${printValue(value.get(keys[at]!)!)}`)}}`;
  }
  if (value instanceof EvaluationError) return `error: ${value.message}`;
  return value instanceof ObjectValue ? printObject(value) : `<${value.type.name}>`;
}

function printObject(value: ObjectValue): string {
  const fields = [...value.type.fields.keys()].filter((field) => value.has(field));
  return `{${shown(fields.length, (at) => `${JSON.stringify(fields[at])}: ${printValue(value.get(fields[at]!)!)}`)}}`;
}

function shown(size: number, print: (at: number) => string): string {
  const parts = Array.from({ length: Math.min(size, shownItemsMax) }, (_, at) => print(at));
  return size > shownItemsMax ? `${parts.join(", ")}, …` : parts.join(", ");
}
