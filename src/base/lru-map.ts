/** A map of bounded size: when it is full, the least recently used entry is removed. */

export class LruMap<K, V> {
  /** In the order of last use, since a Map keeps the order of insertion. */
  readonly #entries = new Map<K, V>();
  readonly #max: number;

  /** `max`: at least 1. */
  constructor(max: number) {
    this.#max = max;
  }

  /** The value, which counts as used now. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#max) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, value);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }
}
