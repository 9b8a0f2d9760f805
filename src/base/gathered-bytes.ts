/**
 * Bytes that arrive in pieces and are read together. Pieces are copied: as a buffer of its own each of a few bytes takes a hundred times
 * as much memory, and who sends them decides how many there are.
 */
export class GatheredBytes {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** All of them; nothing is left. */
  take(): Buffer {
    const all = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return all;
  }
}
