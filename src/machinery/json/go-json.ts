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

function print(value: unknown, indent: string, line: string, sorts: SortsMembers = always): string {
  if (typeof value !== "object" || value === null || value instanceof Number) return encodeJson(value);
  const inner = indent === "" ? "" : `${line}${indent}`;
  const end = indent === "" ? "" : line;
  const next = (item: unknown) => print(item, indent, `${line}${indent}`, sorts);
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : `[${value.map((item) => `${inner}${next(item)}`).join(",")}${end}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  if (sorts(members.map(([key]) => key))) members.sort(([a], [b]) => (keyOrder(a) < keyOrder(b) ? -1 : 1));
  const colon = indent === "" ? ":" : ": ";
  return `{${members.map(([key, member]) => `${inner}${JSON.stringify(key)}${colon}${next(member)}`).join(",")}${end}}`;
}
