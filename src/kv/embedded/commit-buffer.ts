/** The memory for the records of one commit after another, so that a write needs no buffer of its own. */

/** Some fifty records of pods, and more than the writers of a busy server put into one commit. */
const keptBytes = 256 * 1024;

export class CommitBuffer {
  readonly #kept = Buffer.allocUnsafeSlow(keptBytes);
  #usedBytes = 0;

  /** For the next commit. The one before it must have ended: what it took is overwritten. */
  reset(): void {
    this.#usedBytes = 0;
  }

  /** So many bytes of any content, valid until the next reset. What does not fit gets memory of its own. */
  take(bytes: number): Buffer {
    const end = this.#usedBytes + bytes;
    if (end > keptBytes) return Buffer.allocUnsafe(bytes);
    const taken = this.#kept.subarray(this.#usedBytes, end);
    this.#usedBytes = end;
    return taken;
  }
}
