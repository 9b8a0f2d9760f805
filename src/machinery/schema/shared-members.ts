/**
 * Most updates leave whole members of an object as they are. The next state then has the very members of the state before, which are
 * frozen: they are not decoded, filled in, compared or printed again. Code that changes members in place gets copies first.
 */

import { copyJson, setOwn } from "../json/json-value.ts";
import { copyObject } from "./final-places.ts";
import type { ApiObject } from "./kind.ts";
import type { StructSchema } from "./schema.ts";

/** A new object with the members of `object`, and with metadata of its own. */
export function sharingMembers(object: ApiObject): ApiObject {
  const shared: Record<string, unknown> = {};
  // Not a spread, which would make a hidden class for each object.
  for (const name in object) setOwn(shared, name, name === "metadata" ? copyJson(object.metadata) : object[name]);
  return shared as ApiObject; // it has the members of one
}

/** Replaces the members that `object` has of `old` with copies. Both are of `schema`; large final values stay shared. */
export function ownMembers(schema: StructSchema, object: ApiObject, old: ApiObject): void {
  const shared: Record<string, unknown> = {};
  for (const name in object) {
    const member = object[name];
    if (typeof member === "object" && member !== null && member === old[name]) setOwn(shared, name, member);
  }
  const own = copyObject(schema, shared);
  for (const name in own) setOwn(object, name, own[name]);
}
