/** Functions of texts. Positions count code points. */

import { traversalFactor } from "../cost/constants.ts";
import { scale } from "../cost/range.ts";
import type { Meter } from "../evaluate/frame.ts";
import { bool, dyn, int, listOf, string } from "../types/types.ts";
import { matchesText } from "../values/patterns.ts";
import { searchFor } from "../values/search.ts";
import { sizeOf, textSize } from "../values/size.ts";
import { ArrayList, EvaluationError, type List, type Value } from "../values/values.ts";
import { declare, type FunctionDeclaration, member, overload, traversal } from "./declaration.ts";
import { formatText } from "./format-text.ts";
import {
  affixCosts,
  containsCosts,
  joinCosts,
  patternCosts,
  replaceCosts,
  search,
  splitCosts,
} from "./string-costs.ts";

const outside = (index: bigint) => new EvaluationError(`index out of range: ${index}`);

/** Most texts have no surrogates, and then units are code points. */
const surrogate = /[\ud800-\udfff]/;

/** The text as something that can be cut at code points. */
function cut(text: string): {
  readonly size: number;
  slice(from: number, to?: number): string;
  unit(at: number): number;
} {
  if (!surrogate.test(text)) return { size: text.length, slice: (from, to) => text.slice(from, to), unit: (at) => at };
  const points = [...text];
  return {
    size: points.length,
    slice: (from, to) => points.slice(from, to).join(""),
    unit: (at) => points.slice(0, at).join("").length,
  };
}

function charAt(text: string, index: bigint): Value {
  const points = cut(text);
  if (index < 0n || index > BigInt(points.size)) return outside(index);
  return points.slice(Number(index), Number(index) + 1);
}

/** A search reads both once, and a long part needs a table. */
const searchWork = (text: string, part: string): number => (text.length >> 4) + (part.length >> 2);

/** From a position on; -1: not found. */
function indexOf(text: string, part: string, from: bigint, meter: Meter): Value {
  if (from < 0n) return outside(from);
  const over = meter.work(searchWork(text, part));
  if (over !== undefined) return over;
  const points = cut(text);
  if (from > BigInt(points.size)) return part === "" ? BigInt(points.size) : -1n;
  const found = searchFor(part).first(text, points.unit(Number(from)));
  return found < 0 ? -1n : BigInt(textSize(text.slice(0, found)));
}

/** At or before a position. */
function lastIndexOf(text: string, part: string, upTo: bigint | undefined, meter: Meter): Value {
  if (upTo !== undefined && upTo < 0n) return outside(upTo);
  const over = meter.work(searchWork(text, part));
  if (over !== undefined) return over;
  const points = cut(text);
  if (upTo !== undefined && upTo > BigInt(points.size)) return part === "" ? BigInt(points.size) : -1n;
  const found = searchFor(part).last(text, upTo === undefined ? text.length : points.unit(Number(upTo)));
  return found < 0 ? -1n : BigInt(textSize(text.slice(0, found)));
}

function substring(text: string, start: bigint, end: bigint | undefined): Value {
  const points = cut(text);
  const last = BigInt(points.size);
  if (start < 0n || start > last) return outside(start);
  if (end !== undefined && (end < 0n || end > last)) return outside(end);
  if (end !== undefined && start > end)
    return new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  return points.slice(Number(start), end === undefined ? undefined : Number(end));
}

/** A text that is as long as a whole request may be is long enough. */
const textCharsMax = 16 * 1024 * 1024;
const tooLong = new EvaluationError("operation cancelled: a text is too long", true);

/** Negative: all. An empty part is found before each character and at the end. */
function replace(text: string, part: string, by: string, times: bigint, meter: Meter): Value {
  if (times === 0n) return text;
  if (part === "") return insertBetween(text, by, times, meter);
  const pieces = splitText(text, part, times < 0n ? -1n : times + 1n, meter);
  if (pieces instanceof EvaluationError) return pieces;
  return text.length + (pieces.length - 1) * (by.length - part.length) > textCharsMax ? tooLong : pieces.join(by);
}

function insertBetween(text: string, by: string, times: bigint, meter: Meter): Value {
  const over = meter.items(text.length);
  if (over !== undefined) return over;
  const points = [...text];
  const count = times < 0n || times > BigInt(points.length) ? points.length + 1 : Number(times);
  if (count * by.length + text.length > textCharsMax) return tooLong;
  return points
    .slice(0, count)
    .map((point) => by + point)
    .concat(count > points.length ? by : "", points.slice(count))
    .join("");
}

/** Negative: as many pieces as there are; an empty separator gives the characters. */
function splitText(text: string, separator: string, limit: bigint, meter: Meter): string[] | EvaluationError {
  if (limit === 0n) return [];
  if (limit === 1n) return [text];
  const max = limit < 0n || limit > BigInt(text.length + 1) ? text.length + 1 : Number(limit);
  if (separator === "") {
    const over = meter.items(text.length);
    if (over !== undefined) return over;
    const points = [...text];
    return points.length <= max ? points : [...points.slice(0, max - 1), points.slice(max - 1).join("")];
  }
  const pieces: string[] = [];
  const { first } = searchFor(separator);
  let at = 0;
  while (pieces.length < max - 1) {
    const next = first(text, at);
    if (next < 0) break;
    const over = meter.work(2);
    if (over !== undefined) return over;
    pieces.push(text.slice(at, next));
    at = next + separator.length;
  }
  pieces.push(text.slice(at));
  return pieces;
}

function split(text: string, separator: string, limit: bigint, meter: Meter): Value {
  const pieces = splitText(text, separator, limit, meter);
  return pieces instanceof EvaluationError ? pieces : new ArrayList(pieces);
}

function join(list: List, separator: string, meter: Meter): Value {
  const over = meter.items(list.size);
  if (over !== undefined) return over;
  const parts: string[] = [];
  let length = 0;
  for (let at = 0; at < list.size; at++) {
    const item = list.at(at);
    if (typeof item !== "string")
      return item instanceof EvaluationError ? item : new EvaluationError("no such overload");
    parts.push(item);
    length += item.length + separator.length;
    if (length > textCharsMax) return tooLong;
  }
  return parts.join(separator);
}

const lower = (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase());
/** White space as Unicode has it. A regular expression for its end would be quadratic on long runs within the text. */
const whiteSpace = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && whiteSpace.test(text[start]!)) start++;
  while (end > start && whiteSpace.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are escaped
const escaped = /[\x07\b\f\n\r\t\v\\"]/g;
const quote = (text: string) =>
  `"${text.toWellFormed().replace(escaped, (character) => escapes.get(character) ?? character)}"`;

/** The arguments have the declared types; the casts below say so. */
export const strings: readonly FunctionDeclaration[] = [
  declare(
    "contains",
    "1.23",
    member(
      [string, string],
      bool,
      ([text, part]) => searchFor(part as string).first(text as string, 0) >= 0,
      containsCosts,
    ),
  ),
  declare(
    "startsWith",
    "1.23",
    member([string, string], bool, ([text, part]) => (text as string).startsWith(part as string), affixCosts),
  ),
  declare(
    "endsWith",
    "1.23",
    member([string, string], bool, ([text, part]) => (text as string).endsWith(part as string), affixCosts),
  ),
  declare(
    "matches",
    "1.23",
    member(
      [string, string],
      bool,
      ([text, pattern], meter) => matchesText(text as string, pattern as string, meter),
      patternCosts,
    ),
    overload(
      [string, string],
      bool,
      ([text, pattern], meter) => matchesText(text as string, pattern as string, meter),
      patternCosts,
    ),
  ),
  declare(
    "charAt",
    "1.23",
    member(
      [string, int],
      string,
      ([text, at], meter) => meter.work((text as string).length >> 4) ?? charAt(text as string, at as bigint),
    ),
  ),
  declare(
    "indexOf",
    "1.23",
    member([string, string], int, ([text, part], meter) => indexOf(text as string, part as string, 0n, meter), search),
    member(
      [string, string, int],
      int,
      ([text, part, at], meter) => indexOf(text as string, part as string, at as bigint, meter),
      search,
    ),
  ),
  declare(
    "lastIndexOf",
    "1.23",
    member(
      [string, string],
      int,
      ([text, part], meter) => lastIndexOf(text as string, part as string, undefined, meter),
      search,
    ),
    member(
      [string, string, int],
      int,
      ([text, part, at], meter) => lastIndexOf(text as string, part as string, at as bigint, meter),
      search,
    ),
  ),
  declare(
    "join",
    "1.23",
    member([listOf(string)], string, ([list], meter) => join(list as List, "", meter), joinCosts),
    member(
      [listOf(string), string],
      string,
      ([list, separator], meter) => join(list as List, separator as string, meter),
      joinCosts,
    ),
  ),
  declare(
    "lowerAscii",
    "1.23",
    member([string], string, ([text]) => lower(text as string), traversal(0, 1, true)),
  ),
  declare(
    "upperAscii",
    "1.23",
    member([string], string, ([text]) => upper(text as string), traversal(0, 1, true)),
  ),
  declare(
    "replace",
    "1.23",
    member(
      [string, string, string],
      string,
      ([text, part, by], meter) => replace(text as string, part as string, by as string, -1n, meter),
      replaceCosts,
    ),
    member(
      [string, string, string, int],
      string,
      ([text, part, by, times], meter) => replace(text as string, part as string, by as string, times as bigint, meter),
      replaceCosts,
    ),
  ),
  declare(
    "split",
    "1.23",
    member(
      [string, string],
      listOf(string),
      ([text, separator], meter) => split(text as string, separator as string, -1n, meter),
      splitCosts,
    ),
    member(
      [string, string, int],
      listOf(string),
      ([text, separator, limit], meter) => split(text as string, separator as string, limit as bigint, meter),
      splitCosts,
    ),
  ),
  declare(
    "substring",
    "1.23",
    member(
      [string, int],
      string,
      ([text, start]) => substring(text as string, start as bigint, undefined),
      traversal(0, 1, true),
    ),
    member(
      [string, int, int],
      string,
      ([text, start, end]) => substring(text as string, start as bigint, end as bigint),
      traversal(0, 1, true),
    ),
  ),
  declare(
    "trim",
    "1.23",
    member([string], string, ([text]) => trim(text as string), traversal(0, 1, true)),
  ),
  declare(
    "format",
    "1.29",
    member([string, listOf(dyn)], string, ([text, list], meter) => formatText(text as string, list as List, meter), {
      cost: ([text]) => Math.ceil(sizeOf(text!) * traversalFactor),
      estimate: ({ args }) => ({ cost: scale(args[0]!.size, traversalFactor) }),
    }),
  ),
  declare(
    "strings.quote",
    "1.29",
    overload([string], string, ([text]) => quote(text as string), {
      cost: ([text]) => Math.ceil(sizeOf(text!) * traversalFactor),
      estimate: ({ args: [text] }) => ({
        cost: scale(text!.size, traversalFactor),
        size: { min: text!.size.min + 2, max: text!.size.max * 2 + 2 },
      }),
    }),
  ),
];
