/** Which values count as absent, by how a field is declared (`Presence` in schema.ts). */

import type { Tally } from "./decode-tally.ts";
import type { Schema } from "./schema.ts";

/** Reads a present value; undefined: the value counts as absent (an empty list, an elided zero). */
export type ReadPresent = (value: unknown, tally: Tally) => unknown;

/** In Go these are plain values; all others are structs, which are printed even with omitempty. */
export function vanishesWhenZero(schema: Schema): boolean {
  switch (schema.type) {
    case "string":
    case "bool":
    case "int32":
    case "int64":
    case "uint32":
    case "double":
    case "bytes":
    case "list":
    case "map":
      return true;
    case "quantity":
    case "intOrString":
    case "duration":
    case "time":
    case "microTime":
    case "json":
    case "struct":
      return false;
  }
}

export function withoutZero(schema: Schema, read: ReadPresent): ReadPresent {
  switch (schema.type) {
    case "string":
    case "bool":
    case "int32":
    case "int64":
    case "uint32":
    case "double":
    case "bytes":
      return (value, tally) => read(value, tally) || undefined;
    default:
      return read;
  }
}

export function withEmpty(schema: Schema, read: ReadPresent): ReadPresent {
  return schema.type === "list" && schema.keepsEmpty ? (value, tally) => read(value, tally) ?? [] : read;
}

/** The zero time given to a pointer would print null, which is absent when it is read again; so it is absent at once. */
export function withoutNull(schema: Schema, read: ReadPresent): ReadPresent {
  if (schema.type !== "time" && schema.type !== "microTime" && schema.type !== "bytes") return read;
  return schema.type === "bytes"
    ? (value, tally) => read(value, tally) || undefined
    : (value, tally) => read(value, tally) ?? undefined;
}
