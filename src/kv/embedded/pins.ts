/** Past states that somebody is reading, which must not be swept away under the reader. */

export class Pins {
  readonly #held = new Set<{ readonly revision: bigint }>();

  /** Keeps the state of the revision until the function it gives is called. */
  hold(revision: bigint): () => void {
    const pin = { revision };
    this.#held.add(pin);
    return () => this.#held.delete(pin);
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /** The oldest revision that is held, `floor` where none before it is. */
  oldest(floor: bigint): bigint {
    let oldest = floor;
    for (const { revision } of this.#held) if (revision < oldest) oldest = revision;
    return oldest;
  }
}
