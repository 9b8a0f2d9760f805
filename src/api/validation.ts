/** Rules that fields of several kinds have: values that never change, lists without repetitions. */

import { sameValue } from "../machinery/schema/same-value.ts";
import type { Field } from "../machinery/schema/schema.ts";
import { type FieldError, invalid } from "../machinery/status/field-error.ts";

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
