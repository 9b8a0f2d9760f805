/** Checks of paths within folders and volumes. */

import { type FieldError, invalid } from "../../../../machinery/status/field-error.ts";

export const hasBackstep = (path: string): boolean => path.split("/").includes("..");

/** A path below some folder: relative, never up. */
export function validateLocalDescendingPath(path: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (path.startsWith("/")) errors.push(invalid(field, path, "must be a relative path"));
  if (hasBackstep(path)) errors.push(invalid(field, path, "must not contain '..'"));
  return errors;
}
