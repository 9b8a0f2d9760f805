/** Objects by key and by index: the copy that an informer keeps. */

import type { AnyObject } from "../contract.ts";
import type { Index } from "./contract.ts";
import { keyOf } from "./keys.ts";

export class Store<T extends AnyObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, StoredIndex<T>>();
  readonly #byNamespace: StoredIndex<T>;

  constructor() {
    this.#byNamespace = this.#addIndex("namespace", ({ metadata }) => [metadata.namespace ?? ""]);
  }

  get size(): number {
    return this.#objects.size;
  }
  get(key: string): T | undefined {
    return this.#objects.get(key);
  }
  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }
  list(namespace?: string): readonly T[] {
    return namespace === undefined ? [...this.#objects.values()] : this.#byNamespace.get(namespace);
  }

  /** The object that was there before; undefined: none. */
  put(object: T): T | undefined {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.replace(key, old, object);
    return old;
  }
  remove(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.replace(key, old, undefined);
    return old;
  }

  index(name: string, valuesOf: (object: T) => readonly string[]): Index<T> {
    return this.#indexes.get(name) ?? this.#addIndex(name, valuesOf);
  }

  #addIndex(name: string, valuesOf: (object: T) => readonly string[]): StoredIndex<T> {
    const index = new StoredIndex(valuesOf);
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) index.replace(key, undefined, object);
    return index;
  }
}

class StoredIndex<T extends AnyObject> implements Index<T> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #found = new Map<string, Map<string, T>>();

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }
  get(value: string): readonly T[] {
    return [...(this.#found.get(value)?.values() ?? [])];
  }
  values(): readonly string[] {
    return [...this.#found.keys()];
  }
  replace(key: string, old: T | undefined, next: T | undefined): void {
    const after = next === undefined ? [] : this.#valuesOf(next);
    for (const value of old === undefined ? [] : this.#valuesOf(old)) {
      if (!after.includes(value)) this.#remove(value, key);
    }
    if (next === undefined) return;
    for (const value of after) {
      const found = this.#found.get(value);
      if (found === undefined) this.#found.set(value, new Map([[key, next]]));
      else found.set(key, next);
    }
  }
  #remove(value: string, key: string): void {
    const found = this.#found.get(value);
    found?.delete(key);
    if (found?.size === 0) this.#found.delete(value);
  }
}
