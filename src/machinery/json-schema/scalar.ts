/** Whether a text or a number is within the limits of its schema, and whether a value is one of those it allows. */

import type { Release } from "../../base/release.ts";
import type { JsonSchema } from "../json/json-schema.ts";
import { sameJson } from "../json/json-value.ts";
import type { Findings } from "./findings.ts";
import { hasFormat } from "./formats.ts";
import { matchesPattern } from "./pattern.ts";

/** Where problems of a text go, and of which release its formats are. */
interface TextReport {
  readonly errors: Findings;
  readonly work: { readonly since?: (release: Release) => boolean };
}

export function checkText(schema: JsonSchema, text: string, path: string, { errors, work }: TextReport): void {
  const { minLength, maxLength, pattern, format } = schema;
  if (minLength !== undefined || maxLength !== undefined) {
    let length = 0;
    for (const _ of text) length++;
    if (maxLength !== undefined && length > maxLength)
      errors.unsafe("FieldValueTooLong", path, text, `must have at most ${maxLength} characters`);
    if (minLength !== undefined && length < minLength)
      errors.invalid(path, text, `must have at least ${minLength} characters`);
  }
  if (pattern && !matchesPattern(pattern, text)) errors.invalid(path, text, `must match '${pattern}'`);
  if (format && !hasFormat(text, format, work.since))
    errors.unsafe("FieldValueTypeInvalid", path, text, `must be of format ${format}`);
}

/** Integers beyond 2^53 are compared exactly. */
export function checkNumber(schema: JsonSchema, value: number | bigint, path: string, errors: Findings): void {
  const { minimum, maximum, multipleOf } = schema;
  if (multipleOf !== undefined && !isMultiple(Number(value), multipleOf))
    errors.invalid(path, value, `must be a multiple of ${multipleOf}`);
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum))
    errors.invalid(path, value, `must be more than ${schema.exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum))
    errors.invalid(path, value, `must be less than ${schema.exclusiveMaximum ? "" : "or equal to "}${maximum}`);
}

/** How far from an integer a quotient may be, in parts of itself: 0.3 is three times 0.1. */
const precision = 1e-9;

function isMultiple(value: number, factor: number): boolean {
  if (!(factor > 0)) return false;
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  return Number.isFinite(times) && Math.abs(times - Math.round(times)) <= precision * Math.max(1, Math.abs(times));
}

/** A null among the values never matches, as in v1.21. */
export function isAmong(allowed: readonly unknown[], value: unknown): boolean {
  return allowed.some((one) => one !== null && sameJson(one, value));
}
