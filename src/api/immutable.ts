/** The rule of fields that keep their first value. */

import { sameValue } from "../machinery/schema/same-value.ts";
import type { Field } from "../machinery/schema/schema.ts";
import type { FieldError } from "../machinery/status/field-error.ts";
import { invalid } from "../machinery/status/field-error.ts";

/** `declared`: what describes both values, where they have quantities in them. */
export const immutable = (field: string, next: unknown, old: unknown, declared?: Field): FieldError[] =>
  sameValue(next, old, declared) ? [] : [invalid(field, next, "field is immutable")];
