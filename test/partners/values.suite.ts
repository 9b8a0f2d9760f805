/** Answers about expressions in one form, whoever gave them. */

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
} from "../../src/cel/values/values.ts";

const encoded = (text: string | Uint8Array) => Buffer.from(text as string).toString("base64");

export const canonical = { ours, theirs, type: typeText, count, error: errorText };

function ours(value: Value): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "bigint") return { int: String(value) };
  if (typeof value === "number") return { double: String(value) };
  if (typeof value === "string") return { string: encoded(value) };
  if (value instanceof Uint) return { uint: String(value.value) };
  if (value instanceof Bytes) return { bytes: encoded(value.value) };
  if (value instanceof Timestamp) return { timestamp: String(value.nanos / 1_000_000n) };
  if (value instanceof Duration) return { duration: String(value.nanos) };
  if (value instanceof Optional) return value.value === undefined ? { none: true } : { optional: ours(value.value) };
  if (value instanceof TypeValue) return { type: typeText(value.name) };
  if (value instanceof List) return Array.from({ length: value.size }, (_, at) => ours(value.at(at)));
  if (value instanceof Dictionary)
    return { map: entries(value.keys().map((key) => [ours(key), ours(value.get(key)!)])) };
  if (value instanceof ObjectValue) {
    const fields = [...value.type.fields.keys()].filter((field) => value.has(field));
    return { map: entries(fields.map((field) => [ours(field), ours(value.get(field)!)])) };
  }
  return value instanceof EvaluationError ? { error: value.message } : { object: true };
}

const entries = (pairs: readonly (readonly [unknown, unknown])[]): unknown =>
  [...pairs].sort(([a], [b]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

export interface Theirs {
  /** Why the reference has no answer. */
  readonly unusable?: string;
  readonly type?: string;
  readonly estimate?: readonly string[];
  readonly errors?: readonly string[];
  readonly value?: unknown;
  readonly cost?: string;
  readonly refused?: boolean;
}

function theirs(answer: Theirs): unknown {
  const { type, estimate, value, errors, ...rest } = answer;
  if (answer.refused === true) return { refused: true };
  if (type === undefined) return { errors: (errors ?? []).map(errorText).sort() };
  return {
    ...rest,
    type: typeText(type),
    estimate: estimate!.map((each) => count(Number(each))),
    value: theirValue(value),
  };
}

function theirValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(theirValue);
  if (typeof value !== "object" || value === null) return value;
  const [[tag, content]] = Object.entries(value) as [[string, unknown]];
  switch (tag) {
    case "double":
      return { double: String(Number(content)) };
    case "timestamp":
      return { timestamp: String(Date.parse(String(content))) };
    case "optional":
      return { optional: theirValue(content) };
    case "type":
      return { type: typeText(String(content)) };
    case "map": {
      // A field that is null is not set in objects of a schema.
      const pairs = (content as [unknown, unknown][])
        .filter(([, each]) => !isUnset(each))
        .map(([key, each]) => [theirValue(key), theirValue(each)] as const);
      return { map: entries(pairs) };
    }
    case "object":
      return { object: true };
    default:
      return value;
  }
}

const isUnset = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "object" in value && value.object === "error";

/** Types of libraries have no prefix here, and the type of a type has no parameter. */
function typeText(name: string): string {
  return name
    .replaceAll("kubernetes.", "")
    .replaceAll("null_type", "null")
    .replaceAll(/type\(type(?:\(dyn\))?\)/g, "type(type)");
}

/** Estimates of what has no bound overflow in the reference in ways of their own. */
function count(value: number): string {
  return value > 1e17 ? "without a bound" : String(value);
}

/** The reference no longer shows what an object or list is. */
function errorText(text: string): string {
  return text.replace(/(Invalid value: )"(?:object|array)": |(Duplicate value): "(?:object|array)"/, "$1$2");
}
