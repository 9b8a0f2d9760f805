/** Rules of fields that classes of storage have. */

import type { FieldError } from "../../../machinery/status/field-error.ts";
import { duplicate, invalid, tooLong } from "../../../machinery/status/field-error.ts";
import type { TopologySelectorTerm } from "../../core/v1/pod/scheduling.ts";

export const parametersMax = 512;
export const parameterBytesMax = 256 * 1024;

export function validateParameters(parameters: Readonly<Record<string, string>>, path: string): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > parametersMax) return [tooLong(path, entries.length, parametersMax)];
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of entries) {
    if (key === "") errors.push(invalid(path, key, "a parameter must have a name"));
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return size > parameterBytesMax ? [...errors, tooLong(path, "", parameterBytesMax)] : errors;
}

/** Two equal terms, in any order, are a duplicate; an empty term is not allowed. */
export function validateTopologies(terms: readonly TopologySelectorTerm[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set([textOf(new Map())]);
  terms.forEach((term, index) => {
    const at = `[${index}].matchLabelExpressions`;
    const asks = new Map<string, string[]>();
    for (const [position, { key, values }] of (term.matchLabelExpressions ?? []).entries()) {
      if (asks.has(key)) errors.push(duplicate(`${at}[${position}].key`, key));
      asks.set(key, [...new Set(values ?? [])].sort());
    }
    const asked = textOf(asks);
    if (seen.has(asked)) errors.push(duplicate(at, ""));
    seen.add(asked);
  });
  return errors;
}

/** Equivalent terms have one text. */
function textOf(asks: ReadonlyMap<string, readonly string[]>): string {
  return JSON.stringify([...asks].sort(([a], [b]) => (a < b ? -1 : 1)));
}
