/**
 * Reads stored objects without reading their sets of owned fields again: objects made from one template have the same ones,
 * and nearly half of a pod's bytes are such a set.
 *
 *   {"metadata":{…,"managedFields":[{"manager":"m",…,"fieldsV1":{"f:data":{}}}]},"data":{"k":"v"}}
 *   {"metadata":{…,"managedFields":[{"manager":"m",…,"fieldsV1":"…"}]},"data":{"k":"v"}}   is parsed if the set is known
 */

import { randomUUID } from "node:crypto";
import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { finish, type Steps } from "../../base/time-slice.ts";
import { decodeStoredText, storedTextSteps } from "../json/json.ts";
import { copyJson, isObject } from "../json/json-value.ts";
import { decodeAroundSpec } from "../json/printed-spec.ts";
import { parseAround } from "../schema/final-places.ts";
import type { StructSchema } from "../schema/schema.ts";
import type { FieldSet } from "./field-set.ts";
import { KnownSets, knownSetCharsMax } from "./known-sets.ts";

const opening = '"managedFields":[';
const label = '"fieldsV1":';
/** Takes the place of a set in a text that is parsed; no client can know it. */
const placeholder = randomUUID();
export const cutSetMark = Buffer.from(JSON.stringify(placeholder));

/** By text alone: what a set is does not depend on its object, kind or server. */
const known = new KnownSets();

/** Smaller objects are parsed as a whole, faster than it would take to look for what is known. */
const searchedBytesMin = 32 * 1024;

/**
 * As `decodeStoredText`. Sets that are known are frozen and shared, and so are the large final values of a kind that is declared by
 * `schema`.
 */
export function decodeStoredObject(bytes: Uint8Array, schema?: StructSchema): unknown {
  if (bytes.length >= searchedBytesMin) return finish(storedObjectSteps(bytes, schema));
  const text = bufferOf(bytes).toString();
  return checked(decodeText(text), text);
}

/** As `decodeStoredObject`: each long set of owned fields is parsed in a step of its own. */
export function* storedObjectSteps(bytes: Uint8Array, schema?: StructSchema): Steps<unknown> {
  const buffer = bufferOf(bytes);
  const value = schema === undefined ? yield* textSteps(buffer) : yield* parseAround(schema, buffer, textSteps);
  return checksCaches ? checked(value, buffer.toString()) : value;
}

function checked(value: unknown, text: string): unknown {
  if (checksCaches) checkAnswer("sets and final values of stored objects", value, decodeStoredText(text));
  return value;
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function decodeText(text: string): unknown {
  const cut = cutSets(text, false);
  if (cut === undefined) return decodeStoredText(text);
  const value = decodeStoredText(cut.short);
  // Managed fields in a template's metadata, or below something without a schema, are left unchanged.
  return restoreSets(value, cut.sets as readonly FieldSet[], text, cut.places) ? value : decodeStoredText(text); // no long ones were cut out
}

function* textSteps(bytes: Buffer): Steps<unknown> {
  const text = bytes.toString();
  const cut = cutSets(text, true);
  if (cut === undefined) return yield* storedTextSteps(text);
  yield;
  const value = yield* storedTextSteps(cut.short);
  const sets: FieldSet[] = [];
  for (const set of cut.sets) {
    yield;
    sets.push(typeof set === "string" ? ((yield* storedTextSteps(set)) as FieldSet) : set); // nothing else is stored where sets are
  }
  yield;
  return restoreSets(value, sets, text, cut.places) ? value : yield* storedTextSteps(text);
}

/** A text without its sets of owned fields. */
interface CutText {
  readonly short: string;
  /** Those that were cut out, in order: known ones, and the texts of long ones. */
  readonly sets: readonly (FieldSet | string)[];
  /** Where the sets were. */
  readonly places: readonly number[];
}

/** Undefined: it has none, or was not printed by this server. */
function cutSets(text: string, cutsLong: boolean): CutText | undefined {
  const begin = text.indexOf(opening);
  if (begin < 0) return undefined;
  const places: number[] = [];
  const sets: (FieldSet | string)[] = [];
  let short = "";
  let copied = 0;
  for (let at = text.indexOf(label, begin); at >= 0; at = text.indexOf(label, at)) {
    at += label.length;
    // Not printed by this server.
    if (text[at] !== "{") return undefined;
    places.push(at);
    const found = known.at(text, at);
    const printed = found?.text ?? (cutsLong ? longSetAt(text, at) : undefined);
    if (printed === undefined) continue;
    short += `${text.slice(copied, at)}"${placeholder}"`;
    at += printed.length;
    copied = at;
    sets.push(found?.set ?? printed);
  }
  return { short: sets.length === 0 ? text : short + text.slice(copied), sets, places };
}

/** The text of the object that begins there, if it is longer than any set that is known. */
function longSetAt(text: string, begin: number): string | undefined {
  if (text.length - begin <= knownSetCharsMax) return undefined;
  let depth = 0;
  for (let at = begin; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if (character === openingBrace) depth++;
    else if (character === closingBrace && --depth === 0)
      return at - begin < knownSetCharsMax ? undefined : text.slice(begin, at + 1);
  }
  return undefined;
}

const [quote, backslash, openingBrace, closingBrace] = ['"', "\\", "{", "}"].map((text) => text.charCodeAt(0));

/** Where the string ends whose first quote is there. */
function endOfString(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
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
  if (checksCaches) checkAround(text, cut, decoded.value, sets);
  return restoreSets(decoded.value, sets, text, noPlaces) ? decoded : undefined;
}

function checkAround(text: string, cut: readonly Buffer[], value: unknown, sets: readonly FieldSet[]): void {
  const pieces = text.split(String(cutSetMark));
  const whole = pieces.map((piece, at) => piece + String(cut[at] ?? "")).join("");
  const restored = copyJson(value);
  if (restoreSets(restored, sets, text, noPlaces))
    checkAnswer("sets of stored objects", restored, decodeStoredText(whole));
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
