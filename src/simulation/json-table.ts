/** A table in an annotation: a JSON object by names. */

import { isObject } from "../machinery/json/json-value.ts";

/** A text that cannot be read counts as an empty table. */
export function jsonTable(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
