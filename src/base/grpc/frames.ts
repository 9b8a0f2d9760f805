/** gRPC's framing of messages on a stream: one byte that says whether the message is compressed, four with its length, the message. */

import { GrpcError, grpcCode } from "./status.ts";

const headerBytes = 5;

/** One message with its header. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + message.byteLength);
  frame[0] = 0;
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, headerBytes);
  return frame;
}

/**
 * Cuts what arrives into messages. A message of many chunks is joined once, when its last byte is there.
 *
 *     push(00 00000003 61)   -> nothing
 *     push(62 63 00 0000)    -> "abc"; four bytes of the next header are kept
 */
export class MessageReader {
  readonly #bytesMax: number;
  #chunks: Buffer[] = [];
  #held = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether a message has begun and is not complete. */
  get isAmidst(): boolean {
    return this.#held > 0;
  }

  push(chunk: Buffer, onMessage: (message: Buffer) => void): void {
    this.#chunks.push(chunk);
    this.#held += chunk.byteLength;
    for (;;) {
      if (this.#held < headerBytes) return;
      const first = this.#first(headerBytes);
      if (first[0] !== 0)
        throw new GrpcError(grpcCode.internal, "a compressed message, although compression was not agreed on");
      const length = first.readUInt32BE(1);
      if (length > this.#bytesMax)
        throw new GrpcError(
          grpcCode.resourceExhausted,
          `a message of ${length} bytes, ${this.#bytesMax} is the most that is read`,
        );
      const whole = headerBytes + length;
      if (this.#held < whole) return;
      const all = this.#first(whole);
      this.#held -= whole;
      const rest = all.subarray(whole);
      if (rest.byteLength === 0) this.#chunks.shift();
      else this.#chunks[0] = rest;
      onMessage(all.subarray(headerBytes, whole));
    }
  }

  /** The first chunk, after as many as are needed for `bytes` have been joined into it. */
  #first(bytes: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    if (first.byteLength >= bytes) return first;
    let count = 0;
    for (let sum = 0; sum < bytes; count += 1) sum += this.#chunks[count]!.byteLength;
    const joined = Buffer.concat(this.#chunks.slice(0, count));
    this.#chunks.splice(0, count, joined);
    return joined;
  }
}
