/** What the query parameters of a patch must be like as far as ownership is concerned. */

import type { FieldErrors } from "../status/field-error.ts";
import { forbidden, invalid, required, tooLong } from "../status/field-error.ts";
import { managerNameCharsMax } from "./managed.ts";

/** Problems of fieldManager and force; undefined: not given. Other writes are patches that are no apply and never force. */
export function validateApplyOptions(options: {
  readonly isApply: boolean;
  readonly fieldManager: string | undefined;
  readonly force: boolean | undefined;
}): FieldErrors {
  const { isApply, fieldManager = "", force } = options;
  const errors = [];
  if (isApply && fieldManager === "") errors.push(required("fieldManager", "an apply must say who applies"));
  if (!isApply && force !== undefined) errors.push(forbidden("force", "is for apply only"));
  return [...errors, ...validateFieldManager(fieldManager)];
}

/** Problems of a manager's name; the empty one has none. */
export function validateFieldManager(name: string): FieldErrors {
  const errors = [];
  if (Buffer.byteLength(name) > managerNameCharsMax) errors.push(tooLong("fieldManager", name, managerNameCharsMax));
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(name)) {
    errors.push(invalid("fieldManager", name, "must consist of printable characters"));
  }
  return errors;
}
