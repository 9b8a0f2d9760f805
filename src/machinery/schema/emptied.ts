/**
 * Remembers which objects were given an empty list, map or text of bytes for `spec` and similar members. In memory these are
 * absent, but a few kinds count them as a change of the desired state (Strategy.generation, Compat.tellsEmpty).
 *
 *   { "spec": { "ingress": [], "note": "x" } }   ->  { spec: { note: "x" } }, "spec" is remembered
 *   { "spec": { "note": "x" } }                  ->  the same object, nothing is remembered
 */

import { isObject } from "../json/json-value.ts";
import type { Schema, StructSchema } from "./schema.ts";

const emptied = new WeakMap<object, ReadonlySet<string>>();
const nothing: ReadonlySet<string> = new Set();

/** What the generation does not count in any case. */
const aside: ReadonlySet<string> = new Set(["metadata", "status"]);

/** `object` was read from `value`, whose types have been checked against `schema`. */
export function rememberEmptied(object: object, schema: StructSchema, value: unknown): void {
  if (!isObject(value)) return;
  const names = new Set<string>();
  for (const [name, field] of schema.fields) {
    if (!aside.has(name) && Object.hasOwn(value, name) && givesEmpty(field.schema, value[name])) names.add(name);
  }
  if (names.size > 0) emptied.set(object, names);
}

/** The members from which decoding omitted something empty, in this very object (not in a copy). */
export const emptiedMembers = (object: object): ReadonlySet<string> => emptied.get(object) ?? nothing;

function givesEmpty(schema: Schema, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  switch (schema.type) {
    case "bytes":
      return value === "";
    case "list":
      if (!Array.isArray(value)) return false;
      return value.length === 0 || value.some((item) => givesEmpty(schema.items, item));
    case "map":
      if (!isObject(value)) return false;
      return Object.keys(value).length === 0 || Object.values(value).some((item) => givesEmpty(schema.values, item));
    case "struct":
      if (!isObject(value)) return false;
      return [...schema.fields].some(
        ([name, field]) => Object.hasOwn(value, name) && givesEmpty(field.schema, value[name]),
      );
    default:
      return false;
  }
}
