/**
 * Buffers of one size that answers are put together in, one answer after another. V8 counts the bytes of every new buffer, and collects
 * the whole heap when lists have allocated a few dozen megabytes, though hardly any of it is garbage.
 */
export class ReusedBuffers {
  readonly bytes: number;
  readonly #keptMax: number;
  readonly #free: Buffer[] = [];
  /** A buffer is free once, however often it is given back. */
  readonly #taken = new WeakSet<ArrayBufferLike>();

  constructor(bytes: number, keptMax: number) {
    this.bytes = bytes;
    this.#keptMax = keptMax;
  }

  /** Its content is arbitrary. One that is not given back is an ordinary buffer. */
  take(): Buffer {
    const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes);
    this.#taken.add(buffer.buffer);
    return buffer;
  }

  /** Nothing reads or keeps `part`, the whole of which was taken from here, any longer. Other buffers are left alone. */
  giveBack(part: Buffer): void {
    const { buffer } = part;
    if (this.#taken.delete(buffer) && this.#free.length < this.#keptMax) this.#free.push(Buffer.from(buffer));
  }
}
