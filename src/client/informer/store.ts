/** Objects by key and by index: the copy that an informer keeps. Objects are decoded when they are read. */

import type { CachedObject } from "../contract.ts";
import type { Index, LabelMatcher } from "./contract.ts";
import { keyOfRef } from "./keys.ts";

export class Store<T> {
  readonly #objects = new Map<string, CachedObject<T>>();
  readonly #indexes = new Map<string, StoredIndex<T>>();
  readonly #byNamespace = new Map<string, Set<string>>();
  readonly #failed: (index: string, error: unknown) => void;
  readonly #keyOf: (held: CachedObject<T>) => string;

  /** `failed`: an index could not read an object, which it omits. */
  constructor(failed: (index: string, error: unknown) => void, keyOf: (held: CachedObject<T>) => string = keyOfRef) {
    this.#failed = failed;
    this.#keyOf = keyOf;
  }

  held(key: string): CachedObject<T> | undefined {
    return this.#objects.get(key);
  }
  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }
  list(namespace?: string): readonly T[] {
    return this.#heldIn(namespace).map((held) => held.object());
  }
  select(namespace: string | undefined, matches: (labels: ReadonlyMap<string, string>) => boolean): readonly T[] {
    return this.#heldIn(namespace)
      .filter(({ labels }) => matches(labels))
      .map((held) => held.object());
  }

  /** `old`: the object that was there before, where there was one. */
  put(held: CachedObject<T>, object: T, old: T | undefined): void {
    const key = this.#keyOf(held);
    this.#objects.set(key, held);
    if (held.namespace !== "") add(this.#byNamespace, held.namespace, key);
    for (const index of this.#indexes.values()) index.replace(key, old, object);
  }
  remove(key: string): T | undefined {
    const held = this.#objects.get(key);
    if (held === undefined) return undefined;
    const old = held.object();
    this.#objects.delete(key);
    remove(this.#byNamespace, held.namespace, key);
    for (const index of this.#indexes.values()) index.replace(key, old, undefined);
    return old;
  }

  index(name: string, valuesOf: (object: T) => readonly string[]): Index<T> {
    const known = this.#indexes.get(name);
    if (known !== undefined) return known;
    const read = (object: T) => {
      try {
        return valuesOf(object);
      } catch (error) {
        this.#failed(name, error);
        return [];
      }
    };
    const index = new StoredIndex<T>(read, (key) => this.#objects.get(key));
    this.#indexes.set(name, index);
    for (const [key, held] of this.#objects) index.replace(key, undefined, held.object());
    return index;
  }

  #heldIn(namespace: string | undefined): CachedObject<T>[] {
    if (namespace === undefined || namespace === "") return [...this.#objects.values()];
    const keys = this.#byNamespace.get(namespace) ?? [];
    return [...keys].flatMap((key) => this.#objects.get(key) ?? []);
  }
}

class StoredIndex<T> implements Index<T> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #held: (key: string) => CachedObject<T> | undefined;
  readonly #keys = new Map<string, Set<string>>();

  constructor(valuesOf: (object: T) => readonly string[], held: (key: string) => CachedObject<T> | undefined) {
    this.#valuesOf = valuesOf;
    this.#held = held;
  }
  get(value: string): readonly T[] {
    return [...(this.#keys.get(value) ?? [])].flatMap((key) => this.#held(key)?.object() ?? []);
  }
  select(value: string, selector: LabelMatcher): readonly T[] {
    const found: T[] = [];
    for (const key of this.#keys.get(value) ?? []) {
      const held = this.#held(key);
      if (held !== undefined && selector.matches(held.labels)) found.push(held.object());
    }
    return found;
  }
  *each(value: string, selector?: LabelMatcher): Iterable<T> {
    for (const key of [...(this.#keys.get(value) ?? [])]) {
      const held = this.#held(key);
      if (held !== undefined && selector?.matches(held.labels) !== false) yield held.object();
    }
  }
  count(value: string): number {
    return this.#keys.get(value)?.size ?? 0;
  }
  first(value: string): T | undefined {
    const [key] = this.#keys.get(value) ?? [];
    return key === undefined ? undefined : this.#held(key)?.object();
  }
  values(): readonly string[] {
    return [...this.#keys.keys()];
  }
  replace(key: string, old: T | undefined, next: T | undefined): void {
    const after = next === undefined ? [] : this.#valuesOf(next);
    const before = old === undefined ? [] : this.#valuesOf(old);
    if (before.length > 0) {
      // A pod may name tens of thousands of claims.
      const stays = new Set(after);
      for (const value of before) if (!stays.has(value)) remove(this.#keys, value, key);
    }
    for (const value of after) add(this.#keys, value, key);
  }
}

function add(sets: Map<string, Set<string>>, value: string, key: string): void {
  const keys = sets.get(value);
  if (keys === undefined) sets.set(value, new Set([key]));
  else keys.add(key);
}

function remove(sets: Map<string, Set<string>>, value: string, key: string): void {
  const keys = sets.get(value);
  keys?.delete(key);
  if (keys?.size === 0) sets.delete(value);
}
