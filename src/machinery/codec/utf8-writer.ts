/** Writes texts one after the other into a buffer, without joining them into one text first. */

/** The size of the buffer that is kept for reuse; a larger result gets its own. */
const scratchBytes = 64 * 1024;
/** Longer texts are measured; for others it is enough that a UTF-16 unit has at most three bytes. */
const measuredCharsMin = 4 * 1024;

export class Utf8Writer {
  readonly #scratch = Buffer.allocUnsafeSlow(scratchBytes);
  #bytes = this.#scratch;
  #length = 0;

  text(piece: string): this {
    this.#makeRoom(piece.length < measuredCharsMin ? piece.length * 3 : Buffer.byteLength(piece));
    this.#length += this.#bytes.write(piece, this.#length);
    return this;
  }

  /** Bytes of text. */
  bytes(piece: Uint8Array): this {
    this.#makeRoom(piece.length);
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
    return this;
  }

  /** All bytes, in a separate buffer (a slice of Node's pool would keep the pool alive); the writer is then empty. */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(taken, 0, 0, this.#length);
    this.clear();
    return taken;
  }

  clear(): void {
    this.#bytes = this.#scratch;
    this.#length = 0;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
