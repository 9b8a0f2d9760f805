/** Values at the dotted paths by which a definition names its replicas: `.spec.replicas`. */

import { getOwn, isObject, type JsonObject, setOwn } from "../../machinery/json/json-value.ts";

/** `.spec.replicas` -> spec, replicas. */
const pathParts = (path: string): readonly string[] => path.replace(/^\./, "").split(".");

/** Undefined: absent. `wrong`: a value on the path is not an object. */
export function valueAt(object: Readonly<JsonObject>, path: string): { readonly value: unknown } | "wrong" | undefined {
  let value: unknown = object;
  for (const name of pathParts(path)) {
    if (value === undefined) return undefined;
    if (!isObject(value)) return "wrong";
    value = getOwn(value, name);
  }
  return value === undefined ? undefined : { value };
}

/** A copy with the value at the path; missing objects on the path are created. Undefined: a value on the path is not an object. */
export function withValueAt<T extends object>(object: T, path: string, value: unknown): T | undefined {
  const copy = { ...object };
  let at: JsonObject = copy as JsonObject; // the top of an object is one
  const parts = pathParts(path);
  for (const name of parts.slice(0, -1)) {
    const inner = getOwn(at, name) ?? {};
    if (!isObject(inner)) return undefined;
    const next = { ...inner };
    setOwn(at, name, next);
    at = next;
  }
  setOwn(at, parts.at(-1) ?? "", value);
  return copy;
}
