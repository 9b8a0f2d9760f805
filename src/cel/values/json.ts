/** JSON as values, without copies: lists and maps read their members when an expression asks for them. */

import { Dictionary, List, type Value } from "./values.ts";

/** Any JSON; whole numbers are ints. */
export function jsonValue(json: unknown): Value {
  switch (typeof json) {
    case "string":
    case "boolean":
    case "bigint":
      return json;
    case "number":
      return Number.isInteger(json) ? BigInt(json) : json;
    case "object":
      if (json === null) return null;
      return Array.isArray(json) ? new JsonList(json, jsonValue) : new JsonMap(json, jsonValue);
    default:
      // JSON has nothing else; undefined is what an absent member reads as.
      return null;
  }
}

type Read = (json: unknown) => Value;

export class JsonList extends List {
  readonly raw: readonly unknown[];
  readonly #read: Read;
  constructor(raw: readonly unknown[], read: Read) {
    super();
    this.raw = raw;
    this.#read = read;
  }
  get size(): number {
    return this.raw.length;
  }
  at(index: number): Value {
    return this.#read(this.raw[index]);
  }
}

export class JsonMap extends Dictionary {
  readonly raw: object;
  readonly #read: Read;
  constructor(raw: object, read: Read) {
    super();
    this.raw = raw;
    this.#read = read;
  }
  get size(): number {
    return Object.keys(this.raw).length;
  }
  get(key: Value): Value | undefined {
    // JSON objects have members of any name.
    return this.has(key) ? this.#read((this.raw as Record<string, unknown>)[key as string]) : undefined;
  }
  has(key: Value): boolean {
    return typeof key === "string" && Object.hasOwn(this.raw, key);
  }
  keys(): readonly Value[] {
    return Object.keys(this.raw);
  }
}
