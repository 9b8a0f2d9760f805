/** The checks of a kind whose objects may take long to validate, from one function that works in steps. */

import { finish, type Steps } from "../../base/time-slice.ts";
import type { FieldErrors } from "../status/field-error.ts";
import type { Environment } from "./environment.ts";

/** `old` undefined: the object is new. */
export function checksInSteps<T>(
  validateInSteps: (object: T, old: T | undefined, environment: Environment) => Steps<FieldErrors>,
) {
  return {
    validate: (object: T, environment: Environment) => finish(validateInSteps(object, undefined, environment)),
    validateUpdate: (object: T, old: T, environment: Environment) => finish(validateInSteps(object, old, environment)),
    validateInSteps,
  };
}
