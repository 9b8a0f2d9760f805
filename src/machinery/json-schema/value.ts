/** Whether a value follows its schema: all problems at once, under the paths and with the reasons of v1.21. */

import { isObject, sameJson } from "../schema/json-value.ts";
import type { FieldError, FieldErrors } from "../status/field-error.ts";
import { addTo, invalid, noErrors, notSupported, required } from "../status/field-error.ts";
import { hasFormat } from "./formats.ts";
import type { JsonSchema } from "./json-schema.ts";
import { additionalSchema, itemSchema, propertyOf } from "./json-schema.ts";
import { matchesPattern } from "./pattern.ts";

/** How much looking is left: each value costs one for each schema that it is held against, and more where that takes longer. */
export interface Work {
  left: number;
}

/** There is no work left. */
class Exhausted extends Error {}

/**
 * The path of a problem is the path to the value, without positions in lists. A choice (anyOf, oneOf, allOf, not) that
 * fails is reported at `path` itself, together with the problems of its best alternative. What would take more work than
 * is left is a problem: a short schema of many alternatives and a short list can be multiplied to minutes.
 */
export function validateValue(schema: JsonSchema, value: unknown, path: string, work: Work): FieldError[] {
  const errors: FieldError[] = [];
  try {
    check(schema, value, path, { root: path, errors, work });
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    return [invalid(path, value, "must not take so much work to be held against its schema")];
  }
  return errors;
}

interface Report {
  readonly root: string;
  readonly errors: FieldError[];
  readonly work: Work;
}

function take(work: Work, amount: number): void {
  work.left -= amount;
  if (work.left < 0) throw new Exhausted();
}

/** Characters that are looked at as fast as one value. */
const charsPerStep = 100;

function check(schema: JsonSchema, value: unknown, path: string, report: Report): void {
  const { errors, work } = report;
  take(work, 1 + (schema.enum?.length ?? 0) + (typeof value === "string" ? value.length / charsPerStep : 0));
  if (!hasType(schema, value)) errors.push(invalid(path, value, `must be of type ${schema.type}`));
  // A null among the values is never found, in v1.21 neither.
  if (schema.enum !== undefined && !schema.enum.some((allowed) => allowed !== null && sameJson(allowed, value)))
    errors.push(notSupported(path, value, schema.enum.map(shown)));
  if (value === null || value === undefined) return;
  checkChoices(schema, value, path, report);
  if (typeof value === "string") checkText(schema, value, path, errors);
  else if (typeof value === "number" || typeof value === "bigint") checkNumber(schema, Number(value), path, errors);
  else if (Array.isArray(value)) checkList(schema, value, path, report);
  else if (isObject(value)) checkObject(schema, value, path, report);
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function hasType({ type, nullable }: JsonSchema, value: unknown): boolean {
  if (type === undefined || type === "") return true;
  if (value === null || value === undefined) return nullable === true;
  switch (type) {
    case "integer":
      return typeof value === "bigint" || Number.isInteger(value);
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function checkChoices(schema: JsonSchema, value: unknown, path: string, report: Report): void {
  const { root, errors, work } = report;
  const tried = (alternatives: readonly JsonSchema[]) =>
    alternatives.map((alternative) => {
      const found: FieldError[] = [];
      check(alternative, value, path, { root, errors: found, work });
      return found;
    });
  const refuse = (problem: string, because: FieldErrors = noErrors) => {
    errors.push(invalid(root, "", `${path} ${problem}`));
    addTo(errors, because);
  };
  if (schema.anyOf !== undefined) {
    const outcomes = tried(schema.anyOf);
    if (outcomes.every((found) => found.length > 0)) refuse("must follow at least one of anyOf", best(outcomes));
  }
  if (schema.oneOf !== undefined) {
    const outcomes = tried(schema.oneOf);
    const matching = outcomes.filter((found) => found.length === 0).length;
    if (matching === 0) refuse("must follow one of oneOf, and follows none", best(outcomes));
    else if (matching > 1) refuse(`must follow one of oneOf, and follows ${matching}`);
  }
  if (schema.allOf !== undefined) {
    const found = tried(schema.allOf).flat();
    if (found.length > 0) refuse("must follow all of allOf", found);
  }
  if (schema.not !== undefined && tried([schema.not])[0]?.length === 0) refuse("must not follow the schema of not");
}

/** The problems of the alternative that fits best: of those with the fewest, the first. */
function best(outcomes: readonly FieldError[][]): FieldError[] {
  return outcomes.reduce((least, found) => (found.length < least.length ? found : least), outcomes[0] ?? []);
}

function checkText(schema: JsonSchema, text: string, path: string, errors: FieldError[]): void {
  const { minLength, maxLength, pattern, format } = schema;
  if (minLength !== undefined || maxLength !== undefined) {
    let length = 0;
    for (const _ of text) length++;
    if (maxLength !== undefined && length > maxLength)
      errors.push(invalid(path, text, `must have at most ${maxLength} characters`));
    if (minLength !== undefined && length < minLength)
      errors.push(invalid(path, text, `must have at least ${minLength} characters`));
  }
  if (pattern && !matchesPattern(pattern, text)) errors.push(invalid(path, text, `must match '${pattern}'`));
  if (format && !hasFormat(text, format)) errors.push(invalid(path, text, `must be of format ${format}`));
}

function checkNumber(schema: JsonSchema, value: number, path: string, errors: FieldError[]): void {
  const { minimum, maximum, multipleOf } = schema;
  if (multipleOf !== undefined && multipleOf > 0 && !Number.isInteger(value / multipleOf))
    errors.push(invalid(path, value, `must be a multiple of ${multipleOf}`));
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum))
    errors.push(invalid(path, value, `must be less than ${schema.exclusiveMaximum ? "" : "or equal to "}${maximum}`));
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum))
    errors.push(invalid(path, value, `must be more than ${schema.exclusiveMinimum ? "" : "or equal to "}${minimum}`));
}

function checkList(schema: JsonSchema, list: readonly unknown[], path: string, report: Report): void {
  const { minItems, maxItems } = schema;
  const items = itemSchema(schema);
  if (items !== undefined) for (const item of list) check(items, item, path, report);
  if (minItems !== undefined && list.length < minItems)
    report.errors.push(invalid(path, list.length, `must have at least ${minItems} items`));
  if (maxItems !== undefined && list.length > maxItems)
    report.errors.push(invalid(path, list.length, `must have at most ${maxItems} items`));
}

function checkObject(
  schema: JsonSchema,
  object: Readonly<Record<string, unknown>>,
  path: string,
  report: Report,
): void {
  const { minProperties, maxProperties, additionalProperties } = schema;
  const names = Object.keys(object);
  if (minProperties !== undefined && names.length < minProperties)
    report.errors.push(invalid(path, names.length, `must have at least ${minProperties} members`));
  if (maxProperties !== undefined && names.length > maxProperties)
    report.errors.push(invalid(path, names.length, `must have at most ${maxProperties} members`));
  take(report.work, schema.required?.length ?? 0);
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(object, name)) report.errors.push(required(`${path}.${name}`));
  }
  const more = additionalSchema(schema);
  for (const name of names) {
    const at = `${path}.${name}`;
    const property = propertyOf(schema, name);
    if (property !== undefined) check(property, object[name], at, report);
    else if (more !== undefined) check(more, object[name], at, report);
    else if (additionalProperties === false) report.errors.push(invalid(at, name, "is a member that is not allowed"));
  }
}
