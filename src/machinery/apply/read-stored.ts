/**
 * Reads stored objects without reading their sets of owned fields again: objects made from one template have the same ones,
 * and nearly half of a pod's bytes are such a set.
 *
 *   {"metadata":{…,"managedFields":[{"manager":"m",…,"fieldsV1":{"f:data":{}}}]},"data":{"k":"v"}}
 *   {"metadata":{…,"managedFields":[{"manager":"m",…,"fieldsV1":"…"}]},"data":{"k":"v"}}   is parsed if the set is known
 */

import { randomUUID } from "node:crypto";
import { decodeStoredText } from "../json/json.ts";
import { isObject } from "../json/json-value.ts";
import { decodeAroundSpec } from "../json/printed-spec.ts";
import { parseAround } from "../schema/final-places.ts";
import type { StructSchema } from "../schema/schema.ts";
import type { FieldSet } from "./field-set.ts";
import { KnownSets } from "./known-sets.ts";

const opening = '"managedFields":[';
const label = '"fieldsV1":';
/** Takes the place of a set in a text that is parsed; no client can know it. */
const placeholder = randomUUID();
export const cutSetMark = Buffer.from(JSON.stringify(placeholder));

const known = new KnownSets();

/** Smaller objects are parsed as a whole, faster than it would take to look for what is known. */
const searchedBytesMin = 32 * 1024;

/**
 * As `decodeStoredText`. Sets that are known are frozen and shared, and so are the large final values of a kind that is declared by
 * `schema`.
 */
export function decodeStoredObject(bytes: Uint8Array, schema?: StructSchema): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return schema === undefined || bytes.length < searchedBytesMin
    ? decodeText(buffer)
    : parseAround(schema, buffer, decodeText);
}

function decodeText(bytes: Buffer): unknown {
  const text = bytes.toString();
  const begin = text.indexOf(opening);
  if (begin < 0) return decodeStoredText(text);
  const places: number[] = [];
  const sets: FieldSet[] = [];
  let short = "";
  let copied = 0;
  for (let at = text.indexOf(label, begin); at >= 0; at = text.indexOf(label, at)) {
    at += label.length;
    // Not printed by this server.
    if (text[at] !== "{") return decodeStoredText(text);
    places.push(at);
    const found = known.at(text, at);
    if (found === undefined) continue;
    short += `${text.slice(copied, at)}"${placeholder}"`;
    at += found.text.length;
    copied = at;
    sets.push(found.set);
  }
  const value = decodeStoredText(sets.length === 0 ? text : short + text.slice(copied));
  // Managed fields in a template's metadata, or below something without a schema, are left unchanged.
  return restoreSets(value, sets, text, places) ? value : decodeStoredText(text);
}

/**
 * As `decodeStoredObject`, of a text that has `cutSetMark` in place of these sets, and with the text of its spec. Undefined: something else
 * was cut out, and the whole text has to be read.
 */
export function decodeAroundSets(
  text: string,
  cut: readonly Buffer[],
): ReturnType<typeof decodeAroundSpec> | undefined {
  const sets: FieldSet[] = [];
  for (const bytes of cut) {
    const set = known.of(bytes);
    if (set === undefined) return undefined;
    sets.push(set);
  }
  const decoded = decodeAroundSpec(text);
  return restoreSets(decoded.value, sets, text, noPlaces) ? decoded : undefined;
}

const noPlaces: readonly number[] = [];

/** Restores the sets, and caches those that were unknown. False: a set was cut out somewhere else. */
function restoreSets(value: unknown, sets: readonly FieldSet[], text: string, places: readonly number[]): boolean {
  let back = 0;
  let place = 0;
  for (const entry of entriesOf(value)) {
    if (!isObject(entry) || entry["fieldsV1"] === undefined) continue;
    const at = places[place++];
    const { fieldsV1 } = entry;
    if (fieldsV1 === placeholder) entry["fieldsV1"] = sets[back++];
    else if (at !== undefined && isObject(fieldsV1)) known.learn(text, at, fieldsV1 as FieldSet); // nothing else is stored
  }
  return back === sets.length;
}

function entriesOf(value: unknown): readonly unknown[] {
  const metadata = isObject(value) ? value["metadata"] : undefined;
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  return Array.isArray(entries) ? entries : [];
}
