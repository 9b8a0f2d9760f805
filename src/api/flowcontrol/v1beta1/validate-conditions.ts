/** Checks of conditions, which are known by their types. */

import type { FieldError } from "../../../machinery/status/field-error.ts";
import { duplicate, required } from "../../../machinery/status/field-error.ts";

export function validateConditions(conditions: readonly { readonly type?: string }[]): FieldError[] {
  const types = new Set<string>();
  return conditions.flatMap(({ type = "" }, index) => {
    const path = `status.conditions[${index}].type`;
    const errors = types.has(type) ? [duplicate(path, type)] : [];
    types.add(type);
    return type === "" ? [...errors, required(path)] : errors;
  });
}
