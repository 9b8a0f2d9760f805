/** The managedFields of an object as text. Sets that many objects share are printed once. */

import { encodeJson } from "../codec/json.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import type { FieldSet } from "./field-set.ts";

const texts = new WeakMap<object, string>();

/** Prints a set that others will print again, and keeps the text for as long as the set is there. */
export function keepPrinted(set: FieldSet): void {
  texts.set(set, encodeJson(set));
}

export function printManagedFields(entries: readonly ManagedFieldsEntry[]): string {
  let text = "[";
  for (let at = 0; at < entries.length; at++) text += (at === 0 ? "" : ",") + printEntry(entries[at]!);
  return `${text}]`;
}

function printEntry(entry: ManagedFieldsEntry): string {
  const { fieldsV1 } = entry;
  const fields = typeof fieldsV1 === "object" && fieldsV1 !== null ? texts.get(fieldsV1) : undefined;
  if (fields === undefined) return encodeJson(entry);
  // The set comes last, as it is declared.
  return `${encodeJson({ ...entry, fieldsV1: undefined }).slice(0, -1)},"fieldsV1":${fields}}`;
}
