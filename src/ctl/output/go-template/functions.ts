/** The functions that templates may call: the predefined ones of Go and the two that kubectl adds. */

import { CtlError } from "../../errors.ts";
import { isJson } from "../../json.ts";
import { printValue, sprintf } from "./format.ts";

/** Arguments are evaluated lazily. */
type TemplateFunction = (args: readonly (() => unknown)[]) => unknown;

const isNumber = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "bigint" || value instanceof Number;

/** Empty values are false: false, 0, "", absent values, empty lists and maps. */
export function isTrue(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "symbol") return false;
  if (isNumber(value)) return Number(value) !== 0;
  if (typeof value === "string" || Array.isArray(value)) return value.length > 0;
  if (isJson(value)) return Object.keys(value).length > 0;
  return value === true;
}

const plain =
  (call: (...args: unknown[]) => unknown): TemplateFunction =>
  (args) =>
    call(...args.map((arg) => arg()));

export const functions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ["and", (args) => firstWhere(args, (value) => !isTrue(value))],
  ["or", (args) => firstWhere(args, isTrue)],
  ["not", plain((value) => !isTrue(value))],
  ["len", plain(length)],
  ["index", plain(index)],
  ["slice", plain(slice)],
  ["print", plain(printAll)],
  ["println", plain((...values) => `${values.map((value) => printValue(value)).join(" ")}\n`)],
  ["printf", plain((format, ...values) => sprintf(String(format), values))],
  ["html", plain((...values) => escapeHtml(printAll(...values)))],
  [
    "js",
    plain((...values) =>
      JSON.stringify(printAll(...values))
        .slice(1, -1)
        .replaceAll("'", "\\'"),
    ),
  ],
  ["urlquery", plain((...values) => encodeURIComponent(printAll(...values)).replaceAll("%20", "+"))],
  ["call", () => fail("error calling call: a template has no functions to call")],
  ["eq", plain((first, ...others) => others.some((other) => isEqual(first, other)))],
  ["ne", plain((a, b) => !isEqual(a, b))],
  ["lt", plain((a, b) => compare(a, b) < 0)],
  ["le", plain((a, b) => compare(a, b) <= 0)],
  ["gt", plain((a, b) => compare(a, b) > 0)],
  ["ge", plain((a, b) => compare(a, b) >= 0)],
  ["exists", plain(exists)],
  ["base64decode", plain((value) => Buffer.from(String(value), "base64").toString("utf8"))],
]);

function firstWhere(args: readonly (() => unknown)[], isIt: (value: unknown) => boolean): unknown {
  let value: unknown;
  for (const arg of args) {
    value = arg();
    if (isIt(value)) return value;
  }
  return value;
}

function length(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (isJson(value)) return Object.keys(value).length;
  return fail(
    value === null || value === undefined || typeof value === "symbol"
      ? "error calling len: len of nil pointer"
      : `error calling len: len of type ${typeof value}`,
  );
}

function index(start: unknown, ...keys: unknown[]): unknown {
  let value = start;
  for (const key of keys) {
    if (Array.isArray(value)) {
      const at = Number(key);
      if (!isNumber(key)) return fail("error calling index: cannot index slice/array with type string");
      if (at < 0 || at >= value.length) return fail(`error calling index: index out of range: ${at}`);
      value = value[at];
    } else if (isJson(value)) value = Object.hasOwn(value, String(key)) ? value[String(key)] : undefined;
    else return fail("error calling index: index of untyped nil");
  }
  return value;
}

function slice(value: unknown, from: unknown = 0, to?: unknown): unknown {
  if (typeof value === "string") return value.slice(Number(from), to === undefined ? undefined : Number(to));
  if (Array.isArray(value)) return value.slice(Number(from), to === undefined ? undefined : Number(to));
  return fail("error calling slice: slice of untyped nil");
}

/** Spaces are added only between two operands that are both not texts. */
function printAll(...values: unknown[]): string {
  return values
    .map(
      (value, at) =>
        (at > 0 && typeof value !== "string" && typeof values[at - 1] !== "string" ? " " : "") + printValue(value),
    )
    .join("");
}

function exists(start: unknown, ...keys: unknown[]): boolean {
  let value = start;
  for (const key of keys) {
    if (Array.isArray(value) && isNumber(key) && Number(key) < value.length) value = value[Number(key)];
    else if (isJson(value) && Object.hasOwn(value, String(key))) value = value[String(key)];
    else return false;
  }
  return value !== null && value !== undefined && typeof value !== "symbol";
}

function isEqual(a: unknown, b: unknown): boolean {
  const [x, y] = [basic(a, "eq"), basic(b, "eq")];
  if (x === null || y === null) return x === y;
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are the same value
  if (isNumber(x) && isNumber(y)) return x == y;
  if (typeof x !== typeof y) return fail("error calling eq: incompatible types for comparison");
  return x === y;
}

function compare(a: unknown, b: unknown): number {
  const [x, y] = [basic(a, "lt"), basic(b, "lt")];
  const areComparable = (isNumber(x) && isNumber(y)) || (typeof x === "string" && typeof y === "string");
  if (areComparable && x !== null && y !== null) return x < y ? -1 : x > y ? 1 : 0;
  return fail("error calling lt: incompatible types for comparison");
}

function basic(value: unknown, called: string): string | number | bigint | boolean | null {
  if (value === null || value === undefined || typeof value === "symbol") return null;
  if (value instanceof Number) return Number(value);
  if (isNumber(value) || typeof value === "string" || typeof value === "boolean")
    return value as string | number | bigint | boolean;
  return fail(`error calling ${called}: non-comparable type`);
}

const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  "'": "&#39;",
  '"': "&#34;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[<>&'"]/g, (found) => entities[found] ?? found);
}

function fail(reason: string): never {
  throw new CtlError(`error executing template: template: output:1: executing "output": ${reason}`);
}
