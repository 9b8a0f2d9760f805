/**
 * What expressions compute with. null, boolean and string are themselves, an int is a bigint and a double a number; everything else is a class
 * of this file.
 */

import { dyn, type ObjectType, type Type } from "../types/types.ts";

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Bytes
  | Duration
  | Timestamp
  | List
  | Dictionary
  | ObjectValue
  | Optional
  | TypeValue
  | Opaque
  | EvaluationError;

export const int64Max = 2n ** 63n - 1n;
export const int64Min = -(2n ** 63n);
export const uint64Max = 2n ** 64n - 1n;

/** Why an expression has no value. `&&` and `||` may not need the side that failed. */
export class EvaluationError {
  readonly message: string;
  /** The whole evaluation ends: a limit is exceeded, and no operator may hide that. */
  readonly isFatal: boolean;
  constructor(message: string, isFatal = false) {
    this.message = message;
    this.isFatal = isFatal;
  }
}

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class Bytes {
  readonly value: Uint8Array;
  constructor(value: Uint8Array) {
    this.value = value;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Timestamp {
  /** Since 1970. */
  readonly nanos: bigint;
  /** East of Greenwich, as it was written; it matters only where the timestamp is printed. */
  readonly offsetMinutes: number;
  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }
}

/** `value` undefined: none. */
export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value that only its own library understands: a quantity, an address, an authorizer. */
export abstract class Opaque {
  abstract readonly type: ObjectType;
  abstract equals(other: Value): boolean;
  /** What costs count; 1 unless the value is as long as a text. */
  get size(): number {
    return 1;
  }
}

export abstract class List {
  abstract readonly size: number;
  /** `at` is within the list. */
  abstract at(index: number): Value;

  /** How `==` compares when this list is on its left. */
  readonly equality: "order" | "set" | "map" = "order";
  /** In a list of maps: texts of the keys of an item. Undefined where the item has no such keys. */
  keyOf(_index: number): string | undefined {
    return undefined;
  }
  keyOfItem(_item: Value): string | undefined {
    return undefined;
  }
}

export class ArrayList extends List {
  static readonly empty = new ArrayList([]);
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    return this.items[index]!;
  }
}

/** A map. Keys are bool, int, uint or string; expressions may write others, of which doubles can be found. */
export abstract class Dictionary {
  abstract readonly size: number;
  /** Undefined: no such key. */
  abstract get(key: Value): Value | undefined;
  abstract has(key: Value): boolean;
  abstract keys(): readonly Value[];
  /** Whether a key of another type is an error; otherwise it is not there. */
  readonly takesOnlyTexts: boolean = false;
  /** Whether the keys are known; otherwise listing them takes work. */
  get isListed(): boolean {
    return true;
  }
}

/** A map that an expression made. A number finds an equal one of another type. */
export class EntryMap extends Dictionary {
  /** An int is a bigint here and a double a number, which are different keys. */
  readonly #entries = new Map<Value, Value>();
  readonly #uints = new Map<bigint, Value>();
  #keys: readonly Value[] | undefined;
  get size(): number {
    return this.#entries.size + this.#uints.size;
  }
  get(key: Value): Value | undefined {
    if (typeof key === "string" || typeof key === "boolean") return this.#entries.get(key);
    const number = key instanceof Uint ? key.value : key;
    if (typeof number === "bigint") {
      const [own, other] = key instanceof Uint ? [this.#uints, this.#entries] : [this.#entries, this.#uints];
      for (const found of [own.get(number), other.get(number)]) if (found !== undefined) return found;
      return Number.isSafeInteger(Number(number)) ? this.#entries.get(Number(number)) : undefined;
    }
    if (typeof number !== "number") return this.#entries.get(key);
    const found = this.#entries.get(number);
    if (found !== undefined || !Number.isInteger(number)) return found;
    const whole = BigInt(number);
    const int = this.#entries.get(whole);
    return int === undefined ? this.#uints.get(whole) : int;
  }
  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }
  keys(): readonly Value[] {
    this.#keys ??= [...this.#entries.keys(), ...[...this.#uints.keys()].map((key) => new Uint(key))];
    return this.#keys;
  }
  set(key: Value, value: Value): void {
    if (key instanceof Uint) this.#uints.set(key.value, value);
    else this.#entries.set(key, value);
    this.#keys = undefined;
  }
  delete(key: Value): void {
    if (key instanceof Uint) this.#uints.delete(key.value);
    else this.#entries.delete(key);
    this.#keys = undefined;
  }
}

/** A value with declared fields. */
export abstract class ObjectValue {
  abstract readonly type: ObjectType;
  /** Undefined: the field has no value. */
  abstract get(field: string): Value | undefined;
  abstract has(field: string): boolean;
  /** Fields that are set. */
  abstract readonly size: number;
  /** Whether `type(x)` says that it is a map. */
  readonly isMap: boolean = false;
  /** An EvaluationError where the two cannot be compared. */
  abstract equals(other: Value, equal: (a: Value, b: Value) => boolean | EvaluationError): boolean | EvaluationError;
}

/** Type names that `type(x)` gives. */
export function typeNameOf(value: Value): string {
  if (value === null) return "null_type";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
  }
  if (value instanceof List) return "list";
  if (value instanceof Dictionary) return "map";
  if (value instanceof Uint) return "uint";
  if (value instanceof Bytes) return "bytes";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Optional) return "optional_type";
  if (value instanceof TypeValue) return "type";
  if (value instanceof EvaluationError) return "error";
  return value instanceof ObjectValue && value.isMap ? "map" : value.type.name;
}

/** Whether a value may be an argument where the type is declared; only the outermost level is looked at. */
export function hasType(value: Value, type: Type): boolean {
  switch (type.kind) {
    case "dyn":
    case "param":
    case "error":
      return true;
    case "null":
      return value === null;
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "bigint";
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "uint":
      return value instanceof Uint;
    case "bytes":
      return value instanceof Bytes;
    case "duration":
      return value instanceof Duration;
    case "timestamp":
      return value instanceof Timestamp;
    case "list":
      return value instanceof List && itemsHaveType(value, type.item);
    case "map":
      return value instanceof Dictionary;
    case "optional":
      return value instanceof Optional;
    case "type":
      return value instanceof TypeValue;
    case "object":
      return (value instanceof Opaque || value instanceof ObjectValue) && value.type.name === type.name;
  }
}

/** The first item speaks for all: lists have one type of items unless it is dyn. */
function itemsHaveType(list: List, type: Type): boolean {
  return type === dyn || list.size === 0 || hasType(list.at(0), type);
}
