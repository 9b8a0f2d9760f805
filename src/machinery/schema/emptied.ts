/**
 * Remembers which objects were given an empty list, map or text of bytes for `spec` and its like. In memory these are
 * none, but a few kinds count the gift as a change of what was asked for (Life.generation).
 *
 *   { "spec": { "ingress": [], "note": "x" } }   ->  { spec: { note: "x" } }, remembered
 *   { "spec": { "note": "x" } }                  ->  the same object, not remembered
 */

import { isObject } from "./json-value.ts";
import type { Schema, StructSchema } from "./schema.ts";

const emptied = new WeakSet<object>();

/** What the generation does not count in any case. */
const aside: ReadonlySet<string> = new Set(["metadata", "status"]);

/** `object` was read from `value`, which has been found to be of the types that `schema` says. */
export function rememberEmptied(object: object, schema: StructSchema, value: unknown): void {
  if (!isObject(value)) return;
  for (const [name, field] of schema.fields) {
    if (!aside.has(name) && Object.hasOwn(value, name) && givesEmpty(field.schema, value[name])) {
      emptied.add(object);
      return;
    }
  }
}

/** Whether decoding left something empty out of this very object (not of a copy). */
export const wasEmptied = (object: object): boolean => emptied.has(object);

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
