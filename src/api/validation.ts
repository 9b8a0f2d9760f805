/** Rules that fields of several kinds have: values that never change, lists without repetitions. */

import type { ObjectMeta } from "../machinery/schema/object-meta.ts";
import { sameValue } from "../machinery/schema/same-value.ts";
import type { Field } from "../machinery/schema/schema.ts";
import {
  duplicate,
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
} from "../machinery/status/field-error.ts";

/** The rule of fields that keep their first value. `declared`: what describes both values, where they have quantities in them. */
export const immutable = (field: string, next: unknown, old: unknown, declared?: Field): FieldError[] =>
  sameValue(next, old, declared) ? [] : [invalid(field, next, "field is immutable")];

/** The positions of values that an earlier one equals. */
export function repeats(values: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const positions = new Set<number>();
  values.forEach((value, index) => {
    if (seen.has(value)) positions.add(index);
    else seen.add(value);
  });
  return positions;
}

/** The rule of lists whose items differ in a key: the item that repeats an earlier one is reported, not its key. */
export function repeated<T>(keyOf: (item: T) => string): (items: readonly T[], path: string) => FieldErrors {
  return (items, path) => repetitions(items, keyOf, (_item, at, key) => duplicate(`${path}[${at}]`, key));
}

/** An error for each item whose key an earlier one has. An undefined key is not compared. */
export function repetitions<T>(
  items: readonly T[] | null | undefined,
  keyOf: (item: T) => string | undefined,
  errorOf: (item: T, index: number, key: string) => FieldError,
): FieldErrors {
  const seen = new Set<string>();
  return ofEach(items, (item, index) => {
    const key = keyOf(item);
    if (key === undefined) return noErrors;
    if (seen.has(key)) return [errorOf(item, index, key)];
    seen.add(key);
    return noErrors;
  });
}

/** The name of an object that is made of fields of its spec. */
export const validateComposedName = (metadata: ObjectMeta, expected: string, text: string): FieldErrors =>
  ofEach(["name", "generateName"] as const, (field) => {
    const name = metadata[field] ?? "";
    return name === "" || name === expected ? noErrors : [invalid(`metadata.${field}`, name, text)];
  });

/** Counts of a status of which none may be above its total. */
export function validateBounds(
  status: Readonly<Record<string, unknown>> | undefined,
  bounds: readonly (readonly [part: string, whole: string, shown?: string])[],
): FieldError[] {
  const number = (field: string) => (status?.[field] as number | undefined) ?? 0;
  return bounds
    .filter(([part, whole]) => number(part) > number(whole))
    .map(([part, whole, shown = `status.${whole}`]) =>
      invalid(`status.${part}`, number(part), `cannot be greater than ${shown}`),
    );
}
