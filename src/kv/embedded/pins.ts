/** Past states that are being read, which must not be swept while the read lasts. */

export class Pins {
  readonly #held = new Set<{ readonly revision: bigint }>();

  /** Keeps the state of the revision until the returned function is called. */
  hold(revision: bigint): () => void {
    const pin = { revision };
    this.#held.add(pin);
    return () => this.#held.delete(pin);
  }

  has(revision: bigint): boolean {
    for (const held of this.#held) if (held.revision === revision) return true;
    return false;
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /** The oldest revision that is held, or `floor` if no older one is held. */
  oldest(floor: bigint): bigint {
    let oldest = floor;
    for (const { revision } of this.#held) if (revision < oldest) oldest = revision;
    return oldest;
  }
}
