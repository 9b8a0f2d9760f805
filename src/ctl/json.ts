/** Reads objects from a server or a file without assuming that members exist or have the right type. */

import { isObject } from "../machinery/json/json-value.ts";
import { applyMergePatch } from "../machinery/patch/merge-patch.ts";

export { copyJson as copy, isObject as isJson, sameJson as isSame } from "../machinery/json/json-value.ts";

export type Json = Record<string, unknown>;

/** The value at the path; undefined if a part of it is missing. */
export function dig(value: unknown, ...path: readonly (string | number)[]): unknown {
  let at: unknown = value;
  for (const key of path) {
    if (Array.isArray(at) && typeof key === "number") at = at[key];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

/** Scalars as text; "" for all other values. */
export function text(value: unknown, ...path: readonly (string | number)[]): string {
  const found = dig(value, ...path);
  return typeof found === "string"
    ? found
    : ["number", "boolean", "bigint"].includes(typeof found)
      ? String(found)
      : "";
}

export function number(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = dig(value, ...path);
  return typeof found === "number" ? found : typeof found === "bigint" ? Number(found) : undefined;
}

/** The objects of a list; [] if there is none. */
export function list(value: unknown, ...path: readonly (string | number)[]): Json[] {
  const found = dig(value, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The texts of a list. */
export function texts(value: unknown, ...path: readonly (string | number)[]): string[] {
  const found = dig(value, ...path);
  return Array.isArray(found) ? found.map((item) => (typeof item === "string" ? item : String(item))) : [];
}

export function object(value: unknown, ...path: readonly (string | number)[]): Json {
  const found = dig(value, ...path);
  return isObject(found) ? found : {};
}

/** The members of a map of texts, in the order of their keys. */
export function entries(value: unknown, ...path: readonly (string | number)[]): [string, string][] {
  return Object.entries(object(value, ...path))
    .map(([key, item]): [string, string] => [key, typeof item === "string" ? item : JSON.stringify(item)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The object at the path, created if it is missing. */
export function ensure(value: Json, ...path: readonly string[]): Json {
  let at = value;
  for (const key of path) {
    const next = at[key];
    if (isObject(next)) at = next;
    else {
      const made: Json = {};
      at[key] = made;
      at = made;
    }
  }
  return at;
}

export const nameOf = (value: unknown): string => text(value, "metadata", "name");
export const namespaceOf = (value: unknown): string => text(value, "metadata", "namespace");
export const kindOf = (value: unknown): string => text(value, "kind");
export const apiVersionOf = (value: unknown): string => text(value, "apiVersion");

/** "apps/v1" -> "apps"; "v1" -> "". */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

/** "deployment.apps/name". */
export function nameText(value: Json): string {
  const kind = kindOf(value).toLowerCase();
  const group = groupOf(text(value, "apiVersion"));
  return `${kind}${group === "" ? "" : `.${group}`}/${nameOf(value) || "<unknown>"}`;
}

/** The object after a merge patch; the given one stays as it is. */
export const changedBy = (value: Json, patch: Json): Json => applyMergePatch(value, patch) as Json; // an object stays one
