/** A map whose values are made when they are first read. */

export class LazyMap<V> implements ReadonlyMap<string, V> {
  readonly #made = new Map<string, V | undefined>();
  readonly #names: () => Iterable<string>;
  readonly #make: (name: string) => V | undefined;

  /** `make` returns undefined for names that the map does not have; `names` lists at least all that it has, each once. */
  constructor(names: () => Iterable<string>, make: (name: string) => V | undefined) {
    this.#names = names;
    this.#make = make;
  }

  get(name: string): V | undefined {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const made = this.#make(name);
    // Names that do not exist are not kept: there are too many of them.
    if (made !== undefined) this.#made.set(name, made);
    return made;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Makes all values. */
  get size(): number {
    let count = 0;
    for (const _ of this) count += 1;
    return count;
  }

  *entries(): MapIterator<[string, V]> {
    for (const name of this.#names()) {
      const value = this.get(name);
      if (value !== undefined) yield [name, value];
    }
  }

  *keys(): MapIterator<string> {
    for (const [name] of this) yield name;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this) yield value;
  }

  forEach(visit: (value: V, name: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [name, value] of this) visit(value, name, this);
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }
}
