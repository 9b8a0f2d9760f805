/** The fields of an object as lines of a path and a value, for people. */

import { isJson, type Json } from "../server/json.ts";

interface StatedField {
  /** "ports[0].port": without "spec", which most begin with. */
  readonly path: string;
  readonly value: string;
}

/** What every object has, what it reports, and what may be secret or large. */
const leftOut: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "metadata",
  "status",
  "data",
  "stringData",
  "binaryData",
  "caBundle",
]);
const valueCharsMax = 300;

/** At most `max` of them, in the order of the object. */
export function statedFields(object: Json, max: number): readonly StatedField[] {
  const fields: StatedField[] = [];
  const add = (path: string, value: unknown): void => {
    if (fields.length >= max || value === null || value === undefined) return;
    if (Array.isArray(value) && !value.some((one) => typeof one === "object" && one !== null)) {
      if (value.length > 0)
        fields.push({
          path,
          value: value
            .map((one) => String(one) || '""')
            .join(", ")
            .slice(0, valueCharsMax),
        });
    } else if (Array.isArray(value)) {
      for (const [at, one] of value.entries()) add(`${path}[${at}]`, one);
    } else if (isJson(value)) {
      for (const [key, one] of Object.entries(value))
        if (!leftOut.has(key)) add(path === "" || path === "spec" ? key : `${path}.${key}`, one);
    } else {
      fields.push({ path, value: String(value).slice(0, valueCharsMax) });
    }
  };
  add("", object);
  return fields;
}
