/** Turns sentences about a text into errors of a field. */

import { type FieldErrors, invalid, noErrors } from "../status/field-error.ts";

/** One error for each problem. */
export function each(problems: readonly string[], path: string, value: unknown): FieldErrors {
  return problems.length === 0 ? noErrors : problems.map((problem) => invalid(path, value, problem));
}
