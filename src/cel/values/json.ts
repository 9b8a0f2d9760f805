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
  #keys: readonly string[] | undefined;
  readonly #members = new KnownMembers();
  override readonly takesOnlyTexts: boolean;
  /** `takesOnlyTexts`: a schema says that keys are texts. */
  constructor(raw: object, read: Read, takesOnlyTexts = false) {
    super();
    this.takesOnlyTexts = takesOnlyTexts;
    this.raw = raw;
    this.#read = read;
  }
  get size(): number {
    return this.keys().length;
  }
  get(key: Value): Value | undefined {
    return this.has(key) ? this.#members.read(this.raw, key as string, this.#read) : undefined;
  }
  has(key: Value): boolean {
    return typeof key === "string" && Object.hasOwn(this.raw, key);
  }
  keys(): readonly string[] {
    this.#keys ??= Object.keys(this.raw);
    return this.#keys;
  }
  override get isListed(): boolean {
    return this.#keys !== undefined;
  }
}

/** Members that are lists or objects are made once, and then know what was asked of them before: listing the keys of an object takes long. */
export class KnownMembers {
  #known: Map<string, Value> | undefined;

  /** `name` is a member of the object. */
  read(raw: object, name: string, read: Read): Value {
    const json: unknown = (raw as Record<string, unknown>)[name]; // JSON objects have members of any name
    if (typeof json !== "object" || json === null) return read(json);
    let value = this.#known?.get(name);
    if (value === undefined) {
      value = read(json);
      this.#known ??= new Map();
      this.#known.set(name, value);
    }
    return value;
  }
}
