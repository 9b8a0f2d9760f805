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

/** A file within a volume: below its folder, and not named like the links that make updates atomic. */
export function validateFilePath(path: string, field: string): FieldError[] {
  const errors = validateLocalDescendingPath(path, field);
  if (path.startsWith("..") && errors.length === 0) errors.push(invalid(field, path, "must not start with '..'"));
  return errors;
}

export const backstepProblems = (path: string): readonly string[] =>
  hasBackstep(path) ? ["must not contain '..'"] : [];
export const absoluteProblems = (path: string): readonly string[] =>
  path.startsWith("/") ? [] : ["must be an absolute path"];
