/** Validates labels and annotations of metadata and templates. */

import { each, type FieldErrors, noErrors, ofEach, together, tooLong } from "../status/field-error.ts";
import { isLabelValue, isQualifiedName } from "./names.ts";

/** Bytes of all keys and values of an object's annotations. */
export const annotationsBytesMax = 256 * 1024;

export type Texts = Readonly<Record<string, string>> | null | undefined;

export function validateLabels(labels: Texts, path: string): FieldErrors {
  if (!labels) return noErrors;
  return ofEach(Object.keys(labels), (key) => {
    const value = labels[key] as string; // one of its own keys
    return together(validateLabelKey(key, path), each(isLabelValue(value), path, value));
  });
}

/** A key of labels or taints. */
export function validateLabelKey(key: string, path: string): FieldErrors {
  return each(isQualifiedName(key), path, key);
}

/** Keys of annotations may be written in capitals; values are any text. */
export function validateAnnotations(annotations: Texts, path: string): FieldErrors {
  if (!annotations) return noErrors;
  let bytes = 0;
  const errors = ofEach(Object.keys(annotations), (key) => {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string); // one of its own keys
    return each(isQualifiedName(key.toLowerCase()), path, key);
  });
  return bytes > annotationsBytesMax ? [...errors, tooLong(path, "", annotationsBytesMax)] : errors;
}
