/** JSON in the bytes that Go's encoder writes, for what clients compare as bytes. */

import { keyOrder } from "../../base/key-order.ts";
import { encodeJson } from "./json.ts";

/** Members sorted by the bytes of their names, even those that look like positions. `indent`: for each depth; "": one line. */
export function printSorted(value: unknown, indent = ""): string {
  return escapeForGo(print(value, indent, "\n"));
}

/**
 * A value whose text the reference keeps as it was sent. Members keep their order; where one looks like a position, which JavaScript moves
 * to the front, they are sorted, as programs send them.
 */
export function printRaw(value: unknown): string {
  const text = encodeJson(value);
  return escapeForGo(/"\d+":/.test(text) ? print(value, "", "\n", hasPosition) : text);
}

/** So that a document can be part of HTML. */
const escapeForGo = (text: string): string =>
  /[<>&\u2028\u2029]/.test(text) ? text.replace(/[<>&\u2028\u2029]/g, escaped) : text;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

type SortsMembers = (keys: readonly string[]) => boolean;

const always: SortsMembers = () => true;
const hasPosition: SortsMembers = (keys) => keys.some((key) => /^(0|[1-9]\d*)$/.test(key));
/** Their native order is that of their bytes. */
const isAsciiOnly = /^[\0-\x7f]*$/;

/** Of a megabyte in one go: texts are appended, because lists of them take three times as long. */
function print(value: unknown, indent: string, line: string, sorts: SortsMembers = always): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null || value instanceof Number) return encodeJson(value);
  const next = indent === "" ? line : `${line}${indent}`;
  const inner = indent === "" ? "" : next;
  const end = indent === "" ? "" : line;
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${inner}${print(item, indent, next, sorts)}`;
    return text === "" ? "[]" : `[${text}${end}]`;
  }
  const given = value as Record<string, unknown>; // neither a list nor a number
  const keys = Object.keys(given);
  if (keys.length > 1 && sorts(keys)) sortByBytes(keys);
  const colon = indent === "" ? ":" : ": ";
  for (const key of keys) {
    const member = given[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${inner}${JSON.stringify(key)}${colon}${print(member, indent, next, sorts)}`;
  }
  return text === "" ? "{}" : `{${text}${end}}`;
}

function sortByBytes(keys: string[]): void {
  if (keys.every((key) => isAsciiOnly.test(key))) keys.sort();
  else keys.sort((a, b) => (keyOrder(a) < keyOrder(b) ? -1 : 1));
}
