/** Labels and annotations as they may stand in metadata and templates. */

import { type FieldError, type FieldErrors, tooLong } from "../status/field-error.ts";
import { isLabelValue, isQualifiedName } from "./names.ts";
import { each } from "./problems.ts";

/** Bytes of all keys and values of an object's annotations. */
export const annotationsBytesMax = 256 * 1024;

export type Texts = Readonly<Record<string, string>> | null | undefined;

export function validateLabels(labels: Texts, path: string): FieldErrors {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...validateLabelKey(key, path),
    ...each(isLabelValue(value), path, value),
  ]);
}

/** A key of labels or taints. */
export function validateLabelKey(key: string, path: string): FieldErrors {
  return each(isQualifiedName(key), path, key);
}

/** Keys of annotations may be written in capitals; values are any text. */
export function validateAnnotations(annotations: Texts, path: string): FieldErrors {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    errors.push(...each(isQualifiedName(key.toLowerCase()), path, key));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > annotationsBytesMax) errors.push(tooLong(path, "", annotationsBytesMax));
  return errors;
}
