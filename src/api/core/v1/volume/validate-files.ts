/** Checks of the files that a volume consists of. */

import type { Environment } from "../../../../machinery/schema/schema.ts";
import { type FieldError, invalid, required } from "../../../../machinery/status/field-error.ts";
import { fileFieldPaths, validateFieldRef, validateResourceFieldRef } from "../pod/validate-env.ts";
import { validateLocalDescendingPath } from "./validate-path.ts";
import type { DownwardAPIVolumeFile, KeyToPath } from "./volume.ts";

const modeMax = 0o777;

export function validateMode(mode: number | undefined, path: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= modeMax)) return [];
  return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

export function validateItems(items: readonly KeyToPath[] | undefined, path: string): FieldError[] {
  return (items ?? []).flatMap((item, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (item.key === "") errors.push(required(`${at}.key`));
    if (item.path === "") errors.push(required(`${at}.path`));
    else errors.push(...validateFilePath(item.path, `${at}.path`));
    return [...errors, ...validateMode(item.mode, `${at}.mode`)];
  });
}

/** A file within a volume: below its folder, and not named like the links that make updates atomic. */
function validateFilePath(path: string, field: string): FieldError[] {
  const errors = validateLocalDescendingPath(path, field);
  if (path.startsWith("..") && errors.length === 0) errors.push(invalid(field, path, "must not start with '..'"));
  return errors;
}

/** v1.21 reports files for their volume, not for the file. */
export function validateFile(file: DownwardAPIVolumeFile, path: string, environment: Environment): FieldError[] {
  const errors: FieldError[] = file.path === "" ? [required(`${path}.path`)] : [];
  errors.push(...validateFilePath(file.path, `${path}.path`));
  if (file.fieldRef) {
    errors.push(...validateFieldRef(file.fieldRef, fileFieldPaths, `${path}.fieldRef`));
    if (file.resourceFieldRef)
      errors.push(invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
  } else if (file.resourceFieldRef) {
    const at = `${path}.resourceFieldRef`;
    errors.push(...validateResourceFieldRef(file.resourceFieldRef, at, environment, { inVolume: true }));
  } else errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...validateMode(file.mode, `${path}.mode`)];
}
