/** What simulated containers keep in memory, files or logs: each owner within its limit, all together within another. */

/** Something that holds bytes and can let go of them. */
interface Keeper {
  /** All that it holds is gone. */
  clear(): void;
}

export class KeptBytes {
  readonly #max: number;
  /** The one that was changed longest ago first. */
  readonly #owners = new Map<Keeper, number>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get total(): number {
    return this.#total;
  }

  /** The owner holds so many bytes now. Others lose theirs if all together are too many. */
  set(owner: Keeper, bytes: number): void {
    this.#total += bytes - (this.#owners.get(owner) ?? 0);
    this.#owners.delete(owner);
    if (bytes > 0) this.#owners.set(owner, bytes);
    while (this.#total > this.#max) {
      const [oldest] = this.#owners.keys();
      if (oldest === undefined || oldest === owner) return;
      this.set(oldest, 0);
      oldest.clear();
    }
  }
}
