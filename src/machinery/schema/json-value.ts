/** Plain JSON values in memory: copying and comparing them, and members whose names a user chose. */

import { areFinals } from "./final-facts.ts";

export type JsonObject = Record<string, unknown>;

/** The own member, never one of Object.prototype. */
export function getOwn<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own member whatever its name: `__proto__` must become a key, never the prototype. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** A boxed Number is not an object: the JSON codec makes them of 3.0 and 3e0, which are numbers but not integers. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Number);
}

/** A copy that shares nothing with `value`, is not frozen and has no boxed numbers. */
export function copyJson<T>(value: T): T {
  // The copy has the shape of the value, which the compiler cannot follow through arrays and records.
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Number) return value.valueOf();
  const source = value as JsonObject; // neither an array nor boxed
  const result: JsonObject = {};
  for (const key of Object.keys(source)) setOwn(result, key, copy(source[key]));
  return result;
}

/**
 * Equal as JSON: arrays in order, objects regardless of the order of their keys, and undefined is absent. If an
 * absent and an empty list mean the same, use `sameValue`.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) if (!sameJson(a[index], b[index])) return false;
    return true;
  }
  if (Array.isArray(b) || areFinals(a, b)) return false;
  return sameMembers(a as JsonObject, b as JsonObject); // neither is an array
}

/** Equal but for the members named in `except`. */
export function sameMembers(
  a: Readonly<JsonObject>,
  b: Readonly<JsonObject>,
  except: ReadonlySet<string> | undefined = undefined,
): boolean {
  const ofA = Object.keys(a);
  const ofB = Object.keys(b);
  let more = 0;
  // Most objects that are compared have their members in the same order, and then need no search.
  let inOrder = ofA.length === ofB.length;
  for (let index = 0; index < ofA.length; index += 1) {
    const key = ofA[index] as string; // within bounds
    inOrder &&= ofB[index] === key;
    const value = a[key];
    if (value === undefined || except?.has(key)) {
      if (value === undefined) inOrder = false;
      continue;
    }
    if ((!inOrder && !Object.hasOwn(b, key)) || !sameJson(value, b[key])) return false;
    more += 1;
  }
  if (inOrder) return true;
  // All that a has is in b, so b has nothing else when it has as many.
  for (const key of ofB) if (b[key] !== undefined && !except?.has(key)) more -= 1;
  return more === 0;
}
