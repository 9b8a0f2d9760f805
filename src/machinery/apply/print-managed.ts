/** The managedFields of an object as bytes. Sets and entries that many objects share are printed once. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import type { Utf8Writer } from "../codec/utf8-writer.ts";
import { encodeJson } from "../json/json.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import type { FieldSet } from "./field-set.ts";

/** By the value itself, which is frozen through and through. */
const printed = new WeakMap<object, Buffer>();

/** Prints a frozen value that will be printed again, and keeps the bytes for as long as the value lives. */
export function keepPrinted(shared: FieldSet | readonly ManagedFieldsEntry[]): void {
  printed.set(shared, Buffer.from(encodeJson(shared)));
}

/** Whether many objects have this very set. */
export const isShared = (set: FieldSet): boolean => printed.has(set);

export function printManagedFields(entries: readonly ManagedFieldsEntry[], writer: Utf8Writer): void {
  const known = printed.get(entries);
  if (known !== undefined) {
    if (checksCaches) checkAnswer("printed managed fields", known.toString(), encodeJson(entries));
    writer.bytes(known);
    return;
  }
  writer.text("[");
  for (let at = 0; at < entries.length; at++) {
    if (at > 0) writer.text(",");
    printEntry(entries[at]!, writer);
  }
  writer.text("]");
}

function printEntry(entry: ManagedFieldsEntry, writer: Utf8Writer): void {
  const { fieldsV1 } = entry;
  const set = typeof fieldsV1 === "object" && fieldsV1 !== null ? printed.get(fieldsV1) : undefined;
  if (set === undefined) {
    writer.text(encodeJson(entry));
    return;
  }
  if (checksCaches) checkAnswer("printed sets", set.toString(), encodeJson(fieldsV1));
  // The set comes last, as it is declared.
  const others = encodeJson({ ...entry, fieldsV1: undefined });
  writer
    .text(`${others.slice(0, -1)},"fieldsV1":`)
    .bytes(set)
    .text("}");
}
