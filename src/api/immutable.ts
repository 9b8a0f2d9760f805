/** The rule of fields that keep their first value. */

import type { FieldError } from "../machinery/status/field-error.ts";
import { invalid } from "../machinery/status/field-error.ts";
import { sameValue } from "./same-value.ts";

export const immutable = (field: string, next: unknown, old: unknown): FieldError[] =>
  sameValue(next, old) ? [] : [invalid(field, next, "field is immutable")];
