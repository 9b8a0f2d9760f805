/** How a description reads the values that it shows. */

import { humanDuration } from "../../machinery/table/human-duration.ts";
import type { Context } from "../context.ts";
import { dig, entries, type Json, list, number, text, texts } from "../json.ts";

export type Read<T> = (value: Json, context: Context) => T | Promise<T>;

/** The path of a value, such as "spec.nodeName", or a function that returns its text. */
export type From = string | Read<string>;

export const read = (from: From): Read<string> => (typeof from === "string" ? at(from) : from);

/** The value at the path, "" if there is none; `format`: what is shown of a value that is there. */
export function at(path: string, format: (value: string) => string = (value) => value): Read<string> {
  const keys = path.split(".");
  return (value) => {
    const found = text(value, ...keys);
    return found === "" ? "" : format(found);
  };
}

/** The first value, and if it is empty the other text. */
export function or(from: From, other: string): Read<string> {
  const first = read(from);
  return async (value, context) => (await first(value, context)) || other;
}

/** A sentence with values in it: phrase`${"spec.kind"}/${"spec.name"}`. */
export function phrase(parts: TemplateStringsArray, ...from: readonly From[]): Read<string> {
  const readers = from.map(read);
  return async (value, context) => {
    const found = await Promise.all(readers.map((reader) => reader(value, context)));
    return parts.map((part, index) => part + (found[index] ?? "")).join("");
  };
}

/** A number; 0 if there is none. */
export const count =
  (path: string): Read<string> =>
  (value) =>
    String(number(value, ...path.split(".")) ?? 0);

/** Whether the member is true, in two words. */
export const flag =
  (path: string, isTrue = "true", isFalse = "false"): Read<string> =>
  (value) =>
    dig(value, ...path.split(".")) === true ? isTrue : isFalse;

/** The texts of a list in one line. */
export const joined =
  (path: string, separator = ","): Read<string> =>
  (value) =>
    texts(value, ...path.split(".")).join(separator);

/** The first of these members that is there, of each object of a list. */
export const valuesOf =
  (path: string, ...keys: readonly string[]): ((value: Json) => string[]) =>
  (value) =>
    list(value, ...path.split(".")).map((one) => keys.map((key) => text(one, key)).find((found) => found !== "") ?? "");

/** The same in one line. */
export function joinedOf(path: string, keys: readonly string[], separator = ","): Read<string> {
  const all = valuesOf(path, ...keys);
  return (value) => all(value).join(separator);
}

/** Labels or parameters in one line. */
export const pairsInLine =
  (path: string): Read<string> =>
  (value) =>
    entries(value, ...path.split("."))
      .map(([key, one]) => `${key}=${one}`)
      .join(",") || "<none>";

/** "running" -> "Running". */
export function capitalized(word: string): string {
  return `${word[0]?.toUpperCase()}${word.slice(1)}`;
}

/** The time at the path, or `<unknown>`. */
export const moment = (path: string): Read<string> => or(at(path, time), "<unknown>");

/** How long ago the time at the path was. */
export const age =
  (path: string): Read<string> =>
  (value, context) =>
    humanDuration(context.environment.clock.now() - Date.parse(text(value, ...path.split("."))));

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "Mon, 02 Jan 2006 15:04:05 +0000". */
export function time(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "<unknown>";
  const two = (value: number) => String(value).padStart(2, "0");
  return `${days[date.getUTCDay()]}, ${two(date.getUTCDate())} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}
