/** Ratcheting: an update may keep a value that was stored before a rule of its field existed. */

import type { Release } from "../../base/release.ts";
import { isObject } from "../json/json-value.ts";
import type { FieldErrors } from "../status/field-error.ts";
import { joined } from "./constraints.ts";
import { type AtLevel, atLevel } from "./field-level.ts";
import { sameValue } from "./same-value.ts";
import type { Field, Schema } from "./schema.ts";

/** Where a ratcheted field is, and what errors call it. */
interface Place {
  readonly field: Field;
  readonly steps: readonly string[];
  readonly path: string;
}

/** Leaves out the errors of ratcheted fields that have the value they had before. Items of lists are not compared. */
export function withoutKept<T>(
  declared: Field<T>,
): (errors: FieldErrors, next: T | undefined, old: T | undefined, path: string, level: Release) => FieldErrors {
  const known = new Map<Release, readonly Place[]>();
  return (errors, next, old, path, level) => {
    if (errors.length === 0) return errors;
    const places = known.get(level) ?? placesIn(declared.schema, atLevel(level), [], "", []);
    known.set(level, places);
    const kept = places
      .filter(({ steps, field }) => sameValue(valueAt(next, steps), valueAt(old, steps), field))
      .map((place) => joined(path, place.path));
    return kept.length === 0 ? errors : errors.filter(({ field }) => !kept.includes(field));
  };
}

function placesIn(
  schema: Schema,
  level: AtLevel,
  steps: readonly string[],
  path: string,
  around: readonly Schema[],
): readonly Place[] {
  if (schema.type !== "struct" || around.includes(schema)) return [];
  return [...schema.fields].flatMap(([name, dated]) => {
    const field = level.field(dated);
    if (field === undefined || field.isUnchecked) return [];
    const [own, shown] = [[...steps, name], joined(path, field.reportedAs ?? name)];
    if (field.isRatcheted) return [{ field, steps: own, path: shown }];
    return placesIn(field.schema, level, own, shown, [...around, schema]);
  });
}

const valueAt = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
