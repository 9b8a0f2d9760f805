/** The values of a resource while it is built: JSON's, with numbers and dates as they were written. */

import { getOwn, isObject, setOwn } from "../../machinery/json/json-value.ts";
import { CtlError } from "../errors.ts";

/** A scalar whose text says more than its value: 1.10 becomes the text "1.10" in a label, and the number 1.1 elsewhere. */
export class WrittenScalar {
  readonly text: string;
  readonly value: number | bigint | boolean | string | null;

  constructor(text: string, value: number | bigint | boolean | string | null) {
    this.text = text;
    this.value = value;
  }
}

export type Scalar = null | boolean | string | WrittenScalar;
export type YamlValue = Scalar | YamlValue[] | Members;
export interface Members {
  [name: string]: YamlValue;
}

export function isMembers(value: unknown): value is Members {
  return isObject(value) && !(value instanceof WrittenScalar);
}

export function isScalar(value: YamlValue | undefined): value is Scalar {
  return value !== undefined && !Array.isArray(value) && !isMembers(value);
}

/** Whether it is null, however that was written. */
export function isNull(value: YamlValue | undefined): boolean {
  return value === null || (value instanceof WrittenScalar && value.value === null);
}

export const isAbsent = (value: YamlValue | undefined): value is undefined | Scalar =>
  value === undefined || isNull(value);

/** The text of a scalar as it was written; "" for all other values. */
export function textOf(value: YamlValue | undefined): string {
  if (typeof value === "string") return value;
  if (value instanceof WrittenScalar) return value.text;
  return value === null || typeof value === "boolean" ? String(value) : "";
}

/** The value at a path of names. */
export function at(value: YamlValue | undefined, ...path: readonly string[]): YamlValue | undefined {
  let found = value;
  for (const name of path) {
    if (!isMembers(found)) return undefined;
    found = getOwn(found, name);
  }
  return found;
}

/** The text at a path; "" if it is missing or null. */
export function textAt(value: YamlValue | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return isNull(found) ? "" : textOf(found);
}

export function put(members: Members, name: string, value: YamlValue): void {
  const known = shared.get(members);
  const places = known !== undefined && Object.hasOwn(members, name) ? known.get(name) : undefined;
  setOwn(members, name, value);
  if (places === undefined || !isScalar(value)) known?.delete(name);
  else for (const place of places) if (Object.hasOwn(place.members, name)) setOwn(place.members, name, value);
}

interface SharedPlace {
  readonly members: Members;
}

const shared = new WeakMap<Members, Map<string, readonly SharedPlace[]>>();

/**
 * Makes the member of this name one value for all: a change of one is a change of each. A label that kustomize adds to an
 * object, its selector and its template is such a value, so that a patch of the label changes the selector.
 */
export function share(name: string, all: readonly Members[]): void {
  if (all.length < 2) return;
  const places = all.map((members) => ({ members }));
  for (const members of all) {
    const known = shared.get(members) ?? new Map<string, readonly SharedPlace[]>();
    known.set(name, places);
    shared.set(members, known);
  }
}

/** The members at a path of names, created where they are missing or null. */
export function ensureMembers(members: Members, ...path: readonly string[]): Members {
  let found = members;
  for (const name of path) {
    const next = getOwn(found, name);
    if (isMembers(next)) found = next;
    else {
      const made: Members = {};
      put(found, name, made);
      found = made;
    }
  }
  return found;
}

export function copyValue<T extends YamlValue>(value: T): T;
export function copyValue(value: YamlValue): YamlValue {
  if (Array.isArray(value)) return value.map((item) => copyValue(item));
  if (!isMembers(value)) return value;
  const copy: Members = {};
  for (const name of Object.keys(value)) put(copy, name, copyValue(value[name] ?? null));
  return copy;
}

/** As JSON has it. Throws CtlError for a text in place of a number. */
export function plainValue(value: YamlValue): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof WrittenScalar) {
    if (Number.isNaN(value.value))
      throw new CtlError(`yaml: \`${value.text}\` does not have the type of the field it was copied to`);
    return value.value;
  }
  if (!isMembers(value)) return value;
  const plain: Record<string, unknown> = {};
  for (const name of Object.keys(value)) setOwn(plain, name, plainValue(value[name] ?? null));
  return plain;
}

export function plainMembers(members: Members): Record<string, unknown> {
  const plain = plainValue(members);
  return isObject(plain) ? plain : {};
}

/** From JSON. */
export function fromPlain(plain: unknown): YamlValue {
  if (Array.isArray(plain)) return plain.map(fromPlain);
  if (typeof plain === "number" || typeof plain === "bigint") return new WrittenScalar(String(plain), plain);
  if (typeof plain === "string" || typeof plain === "boolean") return plain;
  if (!isObject(plain)) return null;
  const members: Members = {};
  for (const [name, member] of Object.entries(plain)) put(members, name, fromPlain(member));
  return members;
}
