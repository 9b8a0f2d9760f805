/** Reads members of a JSON object one by one, without a schema: a missing member, or one of another type, is empty. */

import { getOwn, isObject, type JsonObject } from "./json-value.ts";

type Json = Readonly<JsonObject>;

export function objectAt(from: Json | undefined, key: string): Json | undefined {
  const value = from && getOwn(from, key);
  return isObject(value) ? value : undefined;
}

/** The items that are objects. */
export function listAt(from: Json | undefined, key: string): readonly Json[] {
  const value = from && getOwn(from, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textAt(from: Json | undefined, key: string): string {
  const value = from && getOwn(from, key);
  return typeof value === "string" ? value : "";
}
