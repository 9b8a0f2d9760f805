/**
 * Reads a stored object and its spec one after the other, so that the text of the spec is known. An update that leaves the spec as it
 * is prints it again by copying this text.
 */

import { decodeStoredText, isExact } from "./json.ts";
import { isObject, type JsonObject } from "./json-value.ts";

/** A value, and how it is printed. */
export interface Printed {
  readonly value: object;
  readonly text: string;
}

/** What is behind the managed fields, which come last in metadata. Quotes in texts are escaped, so no text contains this. */
const metadataEnd = ']},"spec":';
const statusBegin = ',"status":{';

/** As `decodeStoredText`. `spec` is undefined where the object has none, or where something else is between it and the status. */
export function decodeAroundSpec(text: string): { readonly value: unknown; readonly spec: Printed | undefined } {
  const end = text.indexOf(metadataEnd);
  const spec = end < 0 || !isExact(text) ? undefined : specBehind(text, end + metadataEnd.length);
  return spec ?? { value: decodeStoredText(text), spec: undefined };
}

function specBehind(text: string, begin: number): { readonly value: object; readonly spec: Printed } | undefined {
  const status = text.lastIndexOf(statusBegin);
  const end = status > begin ? status : text.length - 1;
  const spec = parsePart(text.slice(begin, end));
  if (spec === undefined) return undefined;
  const rest = parsePart(`${text.slice(0, begin)}0${text.slice(end)}`);
  // What was cut out is one value, and what took its place is the spec: so it is the spec.
  if (rest?.value["spec"] !== 0) return undefined;
  rest.value["spec"] = spec.value;
  return { value: rest.value, spec };
}

/** Undefined: the text is not that of one object. */
function parsePart(text: string): { readonly value: JsonObject; readonly text: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value, text } : undefined;
  } catch {
    return undefined;
  }
}
