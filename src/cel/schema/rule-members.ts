/** Checks of the members of the rules in a schema that need no compilation. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { additionalSchema, itemSchema, type JsonSchema } from "../../machinery/json/json-schema.ts";
import { unsupportedKeyword } from "../../machinery/json-schema/structural.ts";
import {
  type FieldError,
  type FieldErrors,
  invalid,
  notSupported,
  problemsFoundMax,
  required,
} from "../../machinery/status/field-error.ts";
import { fieldPathSteps, rulesOf, type SchemaRule } from "./schema-rules.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

interface Check {
  readonly prefix: string;
  /** Whether no schema inside has a keyword of which nothing is known. */
  readonly isStructural: boolean;
  readonly errors: FieldError[];
  readonly pace: Pace;
}

export function* validateRuleMembers(schema: JsonSchema, path: string, prefix: string): Steps<FieldErrors> {
  const isStructural = (yield* unsupportedKeyword(schema, prefix)) === undefined;
  const check: Check = { prefix, isStructural, errors: [], pace: new Pace() };
  yield* visit(schema, path, check);
  return check.errors;
}

function* visit(schema: JsonSchema, path: string, check: Check): Steps<void> {
  if (check.errors.length >= problemsFoundMax) return;
  if (check.pace.isDue) yield;
  for (const [index, rule] of rulesOf(schema, check.prefix).entries())
    yield* checkMembers(rule, `${path}.${check.prefix}validations[${index}]`, schema, check);
  const items = itemSchema(schema);
  if (items !== undefined) yield* visit(items, `${path}.items`, check);
  if (Array.isArray(schema.items))
    for (const [index, item] of schema.items.entries()) yield* visit(item, `${path}.items[${index}]`, check);
  const more = additionalSchema(schema);
  if (more !== undefined) yield* visit(more, `${path}.additionalProperties`, check);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    yield* visit(property, `${path}.properties[${name}]`, check);
  if (schema.not !== undefined) yield* visit(schema.not, `${path}.not`, check);
  for (const choice of ["allOf", "oneOf", "anyOf"] as const)
    for (const [index, inner] of (schema[choice] ?? []).entries())
      yield* visit(inner, `${path}.${choice}[${index}]`, check);
}

const hasBreaks = (text: string): boolean => /[\n\r]/.test(text);

function* checkMembers(given: SchemaRule, at: string, schema: JsonSchema, check: Check): Steps<void> {
  const { prefix, errors } = check;
  const { rule = "", message = "", messageExpression = "", reason, fieldPath = "" } = given;
  if (rule.trim() === "") errors.push(required(`${at}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "")
    errors.push(invalid(`${at}.message`, message, "must be non-empty if specified"));
  else if (hasBreaks(message.trim())) errors.push(invalid(`${at}.message`, message, "must not contain line breaks"));
  else if (hasBreaks(rule.trim()) && message === "")
    errors.push(required(`${at}.message`, "must be specified if rule contains line breaks"));
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(required(`${at}.messageExpression`, "must be non-empty if specified"));
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${at}.reason`, reason, reasons));
  if (fieldPath === "" || fieldPathSteps(fieldPath, schema) !== undefined) return;
  // Where a keyword says what is unknown, any path may lead somewhere.
  if (check.isStructural || (yield* unsupportedKeyword(schema, prefix)) === undefined)
    errors.push(invalid(`${at}.fieldPath`, fieldPath, "must be a path to a field below the rule"));
}
