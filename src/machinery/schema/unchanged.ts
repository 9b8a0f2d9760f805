/** Checks an update by the rules of its declaration: what is immutable keeps its value. */

import type { Release } from "../../base/release.ts";
import { isObject } from "../json/json-value.ts";
import { type FieldError, type FieldErrors, forbidden, invalid } from "../status/field-error.ts";
import { joined } from "./constraints.ts";
import { isAbsent } from "./defaults.ts";
import { type AtLevel, atLevel } from "./field-level.ts";
import type { Immutable } from "./rule.ts";
import { sameValue } from "./same-value.ts";
import type { Field, Schema } from "./schema.ts";

/** The check of an update: what is immutable must be as it was. */
export function unchanged<T>(
  declared: Field<T>,
): (next: T | undefined, old: T | undefined, path: string, level: Release) => FieldErrors {
  const made = new Map<Release, ChangeCheck>();
  return (next, old, path, level) => {
    const check = made.get(level) ?? compileChange(declared.schema, atLevel(level)) ?? nothing;
    made.set(level, check);
    const errors: FieldError[] = [];
    check(next, old, path, errors);
    return errors;
  };
}

const nothing: ChangeCheck = () => {};

type ChangeCheck = (next: unknown, old: unknown, path: string, errors: FieldError[]) => void;

/** Undefined: nothing in the struct is immutable. Items of lists are not compared one by one. */
function compileChange(schema: Schema, level: AtLevel, around: readonly Schema[] = []): ChangeCheck | undefined {
  if (schema.type !== "struct" || around.includes(schema)) return undefined;
  const parts: ChangeCheck[] = [];
  for (const [name, dated] of schema.fields) {
    const field = level.field(dated);
    if (field === undefined || field.isUnchecked || field.isChangeable) continue;
    const fixed = field.rules.find((rule) => rule.rule === "immutable");
    const inner = fixed ? keptBy(fixed, field) : compileChange(field.schema, level, [...around, schema]);
    const shown = field.reportedAs ?? name;
    if (inner)
      parts.push((next, old, path, errors) =>
        inner(memberOf(next, name), memberOf(old, name), joined(path, shown), errors),
      );
  }
  if (parts.length === 0) return undefined;
  return (next, old, path, errors) => {
    for (const part of parts) part(next, old, path, errors);
  };
}

function keptBy({ isOnce = false, text, isInvalid = text === undefined }: Immutable, field: Field): ChangeCheck {
  return (next, old, path, errors) => {
    if (sameValue(next, old, field) || (isOnce && isAbsent(old, field))) return;
    const why = text ?? "field is immutable";
    errors.push(isInvalid ? invalid(path, next, why) : forbidden(path, why));
  };
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
