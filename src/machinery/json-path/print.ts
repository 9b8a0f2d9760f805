/** A value that a JSONPath found, as text: scalars unchanged, lists and objects as JSON with sorted keys. */

import { isObject } from "../json/json-value.ts";

const int64Limit = 2 ** 63;

export function printFound(value: unknown): string {
  if (value === null || value === undefined) return "<no value>";
  if (typeof value === "number") return printNumber(value);
  if (typeof value === "object" && !(value instanceof Number)) return printJson(value);
  return String(value);
}

/** Integers in full; others as Go prints them: an exponent below 1e-4 and from 1e21 on for what has no fraction, else from 1e6 on. */
function printNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < int64Limit) return String(value);
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** Characters with a meaning in HTML are written as escapes, as in Go's JSON. */
const escaped: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

function printJson(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(printJson).join(",")}]`;
  if (isObject(value)) {
    const members = Object.keys(value).sort();
    return `{${members.map((name) => `${printJson(name)}:${printJson(value[name])}`).join(",")}}`;
  }
  const text = JSON.stringify(value) ?? "null";
  return typeof value === "string" ? text.replace(/[<>&\u2028\u2029]/g, (one) => escaped[one] ?? one) : text;
}
