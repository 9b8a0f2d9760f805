/** JSON in and out: a gate before the parser, exact integers, and no hostile body can block the server. */

import { type Steps, TimeSlice } from "../../base/time-slice.ts";
import { badRequest } from "../status/status.ts";
import { type ExactOptions, ExactParser } from "./json-exact.ts";
import { checkBodySize, checkShape, type JsonTraits, partsMax } from "./json-gate.ts";

/** Bodies larger than this are parsed in slices between other work. */
export const parsedAtOnceBytesMax = 256 * 1024;
/** How many values are parsed between two reads of the clock. */
const valuesPerStep = 500;

const plainForm: ExactOptions = { keepNumberForm: false };

/** What was read from a text. */
export interface ReadJson {
  readonly value: unknown;
  /** How many members the text has. The value has fewer if one of them is there twice. */
  readonly members: number;
}

/**
 * Reads a request body. The last of duplicate keys wins, "__proto__" is a key like any other, bytes that are not UTF-8
 * become U+FFFD, integers beyond 2^53 are bigint. Throws a StatusError for anything that is not one JSON value.
 */
export function decodeJson(bytes: Uint8Array, options: ExactOptions = plainForm): unknown {
  return readJson(bytes, options).value;
}

/** The same, for those who ask more than the value. */
export function readJson(bytes: Uint8Array, options: ExactOptions = plainForm): ReadJson {
  checkBodySize(bytes);
  const traits = checkShape(bytes, partsMax);
  return { value: parseChecked(bytes, traits, options), members: traits.members };
}

/**
 * Reads what this server printed before. It has passed the gate once and has grown since (managed fields take several keys for
 * each field); what could not be read again could never be changed or deleted.
 */
export function decodeStoredText(text: string): unknown {
  if (isExact(text)) return parse(text);
  const bytes = Buffer.from(text);
  return parseChecked(bytes, checkShape(bytes, Number.POSITIVE_INFINITY));
}

/** As `decodeStoredText`. What JSON.parse would not keep is parsed in steps; it takes several times as long. */
export function* storedTextSteps(text: string): Steps<unknown> {
  if (isExact(text)) return parse(text);
  yield;
  const bytes = Buffer.from(text);
  const { inexact } = checkShape(bytes, Number.POSITIVE_INFINITY);
  yield;
  if (!inexact) return parse(text);
  const parser = new ExactParser(text, plainForm);
  while (!parser.step(valuesPerStep)) yield;
  return parser.result;
}

/**
 * Finds every number of 16 digits or with an exponent and every half of a surrogate pair in what this server printed, which has
 * no spaces; also finds some in texts, which the gate then sorts out.
 */
const mayBeInexact = /[:[,]-?(?:\d{16}|\d[\d.]*[eE])|\\u[dD]/;

/** Whether JSON.parse reads all of what this server printed, and printing that again gives the same text. */
export const isExact = (text: string): boolean => !mayBeInexact.test(text);

/** Parses bytes whose shape has been checked: these are their traits. */
export function parseChecked(
  bytes: Uint8Array,
  { inexact, fractional }: Pick<JsonTraits, "inexact" | "fractional">,
  options: ExactOptions = plainForm,
): unknown {
  const text = textOf(bytes);
  if (!inexact && !(fractional && options.keepNumberForm)) return parse(text);
  const parser = new ExactParser(text, options);
  parser.step(Number.POSITIVE_INFINITY);
  return parser.result;
}

/**
 * Decodes without blocking other requests: the result of a small body, and a promise for that of a large one, which is parsed in time
 * slices. A worker thread would
 * not help: transferring its result costs as much as JSON.parse itself, on the same event loop.
 */
export function decodeJsonAsync(bytes: Uint8Array, options: ExactOptions = plainForm): unknown | Promise<unknown> {
  return bytes.length <= parsedAtOnceBytesMax ? decodeJson(bytes, options) : parseInSlices(bytes, options);
}

async function parseInSlices(bytes: Uint8Array, options: ExactOptions): Promise<unknown> {
  checkBodySize(bytes);
  const slice = new TimeSlice();
  checkShape(bytes);
  if (slice.isLong) await slice.next();
  const parser = new ExactParser(textOf(bytes), options);
  while (!parser.step(valuesPerStep)) if (slice.isLong) await slice.next();
  return parser.result;
}

/** Prints a value. bigint prints as the integer it is; JSON.stringify alone would refuse it. */
export function encodeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    // Only a bigint or a cycle makes JSON.stringify throw a TypeError; the exact printer would not survive a cycle.
    if (error instanceof TypeError && /BigInt/.test(error.message)) return printExactly(value) ?? "null";
    throw error;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (text.trim() === "") throw badRequest("the body is empty", error);
    throw badRequest("couldn't get version/kind; json parse error: the body is not JSON", error);
  }
}

function printExactly(value: unknown): string | undefined {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || value instanceof Number) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => printExactly(item) ?? "null").join(",")}]`;
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const printed = printExactly(member);
    if (printed !== undefined) members.push(`${JSON.stringify(key)}:${printed}`);
  }
  return `{${members.join(",")}}`;
}
