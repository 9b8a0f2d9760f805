/** Whether a text or a number is within the limits of its schema, and whether a value is one of those it allows. */

import type { JsonSchema } from "../json/json-schema.ts";
import { sameJson } from "../json/json-value.ts";
import type { Feature } from "../schema/features.ts";
import type { Findings } from "./findings.ts";
import { hasFormat } from "./formats.ts";
import { matchesPattern } from "./pattern.ts";

/** Where problems of a text go, and of which release its formats are. */
interface TextReport {
  readonly errors: Findings;
  readonly work: { readonly has?: (feature: Feature) => boolean };
}

/** Of its length and its pattern only the first that is wrong is reported, as in v1.21. */
export function checkText(schema: JsonSchema, text: string, path: string, { errors, work }: TextReport): void {
  checkShape(schema, text, path, errors);
  const { format } = schema;
  if (format && !hasFormat(text, format, work.has)) errors.misformatted(path, text, format);
}

function checkShape({ minLength, maxLength, pattern }: JsonSchema, text: string, path: string, errors: Findings): void {
  const length = minLength === undefined && maxLength === undefined ? 0 : lengthOf(text);
  if (maxLength !== undefined && length > maxLength) errors.tooLong(path, text, maxLength);
  else if (minLength !== undefined && length < minLength)
    errors.inBody(path, text, `be at least ${minLength} chars long`);
  else if (pattern && !matchesPattern(pattern, text)) errors.inBody(path, text, `match '${pattern}'`);
}

/** Characters, not units of UTF-16. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Integers beyond 2^53 are compared exactly. */
export function checkNumber(schema: JsonSchema, value: number | bigint, path: string, errors: Findings): void {
  const { minimum, maximum, multipleOf } = schema;
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    errors.inBody(path, value, `be a multiple of ${multipleOf}`);
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum))
    errors.inBody(path, value, `be greater than ${schema.exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum))
    errors.inBody(path, value, `be less than ${schema.exclusiveMaximum ? "" : "or equal to "}${maximum}`);
}

/** How far from an integer a quotient may be, in parts of itself: 0.3 is three times 0.1. */
const precision = 1e-9;

function isMultiple(value: number | bigint, factor: number): boolean {
  if (!(factor > 0)) return false;
  if (Number.isSafeInteger(factor) && (typeof value === "bigint" || Number.isSafeInteger(value)))
    return BigInt(value) % BigInt(factor) === 0n;
  const number = Number(value);
  const times = factor < 1 ? (1 / factor) * number : number / factor;
  return Number.isFinite(times) && Math.abs(times - Math.round(times)) <= precision * Math.max(1, Math.abs(times));
}

/** A null among the values never matches, as in v1.21. */
export function isAmong(allowed: readonly unknown[], value: unknown): boolean {
  return allowed.some((one) => one !== null && sameJson(one, value));
}
