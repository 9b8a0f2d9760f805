/** `'%s is %d'.format([…])`: what a clause prints, and which values it takes. */

import type { Meter } from "../evaluate/frame.ts";
import { doubleText, fixedText, groupedText, scientificText } from "../values/number-text.ts";
import { listKeys } from "../values/size.ts";
import { durationText, timestampText } from "../values/times.ts";
import {
  Bytes,
  Dictionary,
  Duration,
  EvaluationError,
  List,
  ObjectValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../values/values.ts";

/** `verb`: s d f e b x X o; `precision` only of f and e. */
interface Clause {
  readonly verb: string;
  readonly precision: number | undefined;
}

const precisionMax = 1_000;
const digitsByDefault = 6;
/** Texts that the clauses of doubles take. */
const notFinite: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);
const formattedCharsMax = 4 * 1024 * 1024;

/** Printing an item, and an entry: entries are sorted. */
const workOfPart = 20;
const workOfEntry = 40;

/** The texts between the clauses, and the clauses; a text if the format is wrong. */
export function parseFormat(format: string): { readonly texts: string[]; readonly clauses: Clause[] } | string {
  const texts: string[] = [];
  const clauses: Clause[] = [];
  let text = "";
  for (let at = 0; at < format.length; at++) {
    if (format[at] !== "%") {
      text += format[at];
      continue;
    }
    if (format[at + 1] === "%") {
      text += "%";
      at++;
      continue;
    }
    clausePattern.lastIndex = at;
    const match = clausePattern.exec(format);
    if (match === null) {
      const verb = format[at + 1];
      return verb === undefined ? "unexpected end of string" : `unrecognized formatting clause "${verb}"`;
    }
    const precision = match[1] === undefined ? undefined : Number(match[1]);
    if (precision !== undefined && precision > precisionMax) return `precision may be at most ${precisionMax}`;
    texts.push(text);
    text = "";
    clauses.push({ verb: match[2]!, precision });
    at += match[0].length - 1;
  }
  texts.push(text);
  return { texts, clauses };
}

const clausePattern = /%(?:\.(\d{1,9}))?([sdfebxXo])/y;

export function formatText(format: string, args: List, meter: Meter): Value {
  const parsed = parseFormat(format);
  if (typeof parsed === "string") return new EvaluationError(parsed);
  const { texts, clauses } = parsed;
  if (clauses.length > args.size) return new EvaluationError(`index ${args.size} out of range`);
  if (clauses.length < args.size)
    return new EvaluationError(
      `too many arguments supplied to string.format (expected ${clauses.length}, got ${args.size})`,
    );
  let result = texts[0]!;
  for (const [at, clause] of clauses.entries()) {
    const part = printClause(clause, args.at(at), meter);
    if (part instanceof EvaluationError) return part;
    result += part + texts[at + 1]!;
    const over = result.length > formattedCharsMax ? tooLong : meter.work(1 + (part.length >> 4));
    if (over !== undefined) return over;
  }
  return result;
}

const tooLong = new EvaluationError("operation cancelled: a text is too long", true);

function printClause({ verb, precision }: Clause, value: Value, meter: Meter): string | EvaluationError {
  const wrong = () => new EvaluationError(`error during formatting: %${verb} does not take a value of this type`);
  const number = value instanceof Uint ? value.value : value;
  switch (verb) {
    case "s":
      return printText(value, meter);
    case "d":
      return typeof number === "bigint" ? String(number) : wrong();
    case "f":
    case "e": {
      const double = typeof number === "string" ? notFinite.get(number) : number;
      if (typeof double !== "number") return wrong();
      const digits = precision ?? digitsByDefault;
      // As in the reference, the precision of %e is the least width.
      return verb === "e" ? scientificText(double).padStart(digits) : groupedText(double, digits);
    }
    case "b":
      if (typeof number === "boolean") return number ? "1" : "0";
      return typeof number === "bigint" ? number.toString(2) : wrong();
    case "o":
      return typeof number === "bigint" ? number.toString(8) : wrong();
    default: {
      const hex =
        typeof number === "bigint"
          ? number.toString(16)
          : typeof number === "string"
            ? Buffer.from(number).toString("hex")
            : number instanceof Bytes
              ? Buffer.from(number.value).toString("hex")
              : undefined;
      if (hex === undefined) return wrong();
      return verb === "X" ? hex.toUpperCase() : hex;
    }
  }
}

function printText(value: Value, meter: Meter): string | EvaluationError {
  if (value instanceof EvaluationError) return value;
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return doubleText(value);
  if (value === null) return "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Bytes) return Buffer.from(value.value).toString("utf8");
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof List) return printAll(value.size, (at) => printInner(value.at(at), meter), "[", "]", meter);
  if (value instanceof Dictionary) return printMap(value, meter);
  return new EvaluationError(
    `error during formatting: %s does not take a value of type ${value instanceof ObjectValue ? "object" : "this"}`,
  );
}

/** Within lists and maps values look as they are written in expressions. */
function printInner(value: Value, meter: Meter): string | EvaluationError {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? fixedText(value, digitsByDefault) : quoted(doubleText(value));
  if (value instanceof Bytes) return `b${quoted(Buffer.from(value.value).toString("utf8"))}`;
  if (value instanceof Timestamp) return `timestamp("${timestampText(value)}")`;
  if (value instanceof Duration) return `duration("${durationText(value)}")`;
  return printText(value, meter);
}

const quoted = (text: string) => JSON.stringify(text);

function printMap(map: Dictionary, meter: Meter): string | EvaluationError {
  const entries: (readonly [string, string])[] = [];
  const tooMany = listKeys(map, meter) ?? meter.work(map.size * workOfEntry);
  if (tooMany !== undefined) return tooMany;
  for (const key of map.keys()) {
    const name = printInner(key, meter);
    const value = printInner(map.get(key)!, meter);
    if (typeof name !== "string") return name;
    if (typeof value !== "string") return value;
    entries.push([name, value]);
  }
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return printAll(entries.length, (at) => entries[at]!.join(":"), "{", "}", meter);
}

function printAll(
  size: number,
  print: (at: number) => string | EvaluationError,
  open: string,
  close: string,
  meter: Meter,
): string | EvaluationError {
  const parts: string[] = [];
  let length = 0;
  for (let at = 0; at < size; at++) {
    const part = print(at);
    if (typeof part !== "string") return part;
    length += part.length;
    const over = length > formattedCharsMax ? tooLong : meter.work(workOfPart + (part.length >> 4));
    if (over !== undefined) return over;
    parts.push(part);
  }
  return `${open}${parts.join(", ")}${close}`;
}
