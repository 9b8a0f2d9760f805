/** Annotations in which v1 carries numbers that older versions had fields for. */

import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { badRequest } from "../../../machinery/status/status.ts";
import { parseInt64 } from "../../../machinery/values/integer.ts";

/**
 * Prints the annotation in its shortest form, or sets it to `absent` if it is missing. A value that is not a number is
 * refused like a field of the wrong type. In place.
 */
export function numberAnnotation(metadata: ObjectMeta, key: string, absent?: bigint): void {
  const text = metadata.annotations?.[key];
  const value = text === undefined ? absent : parseInt64(text);
  if (value === undefined) {
    if (text !== undefined) throw badRequest(`the annotation ${key} must be a whole number`);
    return;
  }
  metadata.annotations = { ...metadata.annotations, [key]: String(value) };
}
