/** Plain JSON values in memory: copying, freezing and comparing them, and members whose names a user chose. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { areFinals } from "./final-facts.ts";
import { isSmall } from "./parts.ts";

export type JsonObject = Record<string, unknown>;

/** In steps, a value of no more parts than this takes one. */
const partsAtOnceMax = 50;

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
  // Plain objects inherit nothing that is enumerable; here and below, lists of keys would be most of what is allocated.
  for (const key in source) setOwn(result, key, copy(source[key]));
  return result;
}

/** As `copyJson`, of a value that may be large. */
export function* copyInSteps(value: unknown, pace = new Pace()): Steps<unknown> {
  if (isSmall(value, partsAtOnceMax)) return copy(value);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (pace.isDue) yield;
      items.push(isSmall(item, partsAtOnceMax) ? copy(item) : yield* copyInSteps(item, pace));
    }
    return items;
  }
  const source = value as JsonObject; // neither an array nor boxed: those are small
  const result: JsonObject = {};
  for (const key in source) {
    if (pace.isDue) yield;
    const member = source[key];
    setOwn(result, key, isSmall(member, partsAtOnceMax) ? copy(member) : yield* copyInSteps(member, pace));
  }
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
  let more = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined || except?.has(key)) continue;
    // What an object inherits is equal to no JSON value but for its prototype.
    if (!sameJson(value, b[key]) || (key === "__proto__" && !Object.hasOwn(b, key))) return false;
    more += 1;
  }
  // All that a has is in b, so b has nothing else when it has as many.
  for (const key in b) if (b[key] !== undefined && !except?.has(key)) more -= 1;
  return more === 0;
}

/** As `sameMembers`, of values that may be large. */
export function* sameMembersInSteps(
  a: Readonly<JsonObject>,
  b: Readonly<JsonObject>,
  except: ReadonlySet<string> | undefined = undefined,
  pace = new Pace(),
): Steps<boolean> {
  let more = 0;
  for (const key in a) {
    if (pace.isDue) yield;
    const value = a[key];
    if (value === undefined || except?.has(key)) continue;
    const other = b[key];
    const isSame = isSmall(value, partsAtOnceMax) ? sameJson(value, other) : yield* sameInSteps(value, other, pace);
    if (!isSame || (key === "__proto__" && !Object.hasOwn(b, key))) return false;
    more += 1;
  }
  for (const key in b) {
    if (pace.isDue) yield;
    if (b[key] !== undefined && !except?.has(key)) more -= 1;
  }
  return more === 0;
}

function* sameInSteps(a: unknown, b: unknown, pace: Pace): Steps<boolean> {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) {
      if (pace.isDue) yield;
      const isSame = isSmall(a[index], partsAtOnceMax)
        ? sameJson(a[index], b[index])
        : yield* sameInSteps(a[index], b[index], pace);
      if (!isSame) return false;
    }
    return true;
  }
  if (Array.isArray(b) || areFinals(a, b)) return false;
  return yield* sameMembersInSteps(a as JsonObject, b as JsonObject, undefined, pace); // neither is an array
}

/** Members that may be undefined, as members that may be absent: what conversions write. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** `value` without the members that are undefined. */
export function given<T extends object>(value: T): Given<T> {
  const left: Record<string, unknown> = {};
  // Without lists of entries: conversions call this for each of thousands of parts.
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name]; // one of its own names
    if (member !== undefined) setOwn(left, name, member);
  }
  return left as Given<T>; // no member is undefined, which is what Given says
}

/** Freezes `value` and everything in it. A value that is already frozen is assumed to be deeply frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) {
    for (const item of value) deepFreeze(item);
  } else {
    for (const key in value) deepFreeze((value as Record<string, unknown>)[key]);
  }
  return value;
}

/** As `deepFreeze`, of a value that may be large. */
export function* freezeInSteps<T>(value: T, pace = new Pace()): Steps<T> {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof member === "object" && member !== null) yield* freezeInSteps(member, pace);
    if (pace.isDue) yield;
  }
  return value;
}

type Json = Readonly<JsonObject>;

/** A member, read without a schema: one that is missing, or of another type, is empty. */
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
