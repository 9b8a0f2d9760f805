/** Cuts what arrives on a connection into frames. */

import { frameBytesMax, frameFlag, frameHeadBytes, frameType, Http2Error, http2Code } from "./frames.ts";

interface FrameSink {
  /** A whole frame. */
  frame(type: number, flags: number, stream: number, content: Buffer): void;
  /** A piece of a frame of data. Data is passed on as it comes, so that large answers are not copied. */
  data(stream: number, piece: Buffer, isLast: boolean): void;
}

export class Http2FrameReader {
  readonly #sink: FrameSink;
  /** The beginning of a frame that is not data. */
  #rest: Buffer = Buffer.alloc(0);
  /** A frame of data of which `left` bytes are still to come. */
  #data: { readonly stream: number; readonly isLast: boolean; readonly left: number } | undefined;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.byteLength === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = this.#data === undefined ? 0 : this.#readData(bytes, 0);
    while (bytes.byteLength - at >= frameHeadBytes) {
      const length = bytes.readUIntBE(at, 3);
      if (length > frameBytesMax) throw new Http2Error(http2Code.frameSize, "a frame that is too long");
      const type = bytes[at + 3]!;
      const flags = bytes[at + 4]!;
      const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
      if (type === frameType.data && (flags & frameFlag.padded) === 0) {
        this.#data = { stream, isLast: (flags & frameFlag.endStream) !== 0, left: length };
        at = this.#readData(bytes, at + frameHeadBytes);
        continue;
      }
      const end = at + frameHeadBytes + length;
      if (bytes.byteLength < end) break;
      this.#sink.frame(type, flags, stream, bytes.subarray(at + frameHeadBytes, end));
      at = end;
    }
    this.#rest = bytes.subarray(at);
  }

  /** Returns where the next frame begins. */
  #readData(bytes: Buffer, at: number): number {
    const { stream, isLast, left } = this.#data!;
    const end = Math.min(bytes.byteLength, at + left);
    this.#data = end - at === left ? undefined : { stream, isLast, left: left - (end - at) };
    this.#sink.data(stream, bytes.subarray(at, end), isLast && this.#data === undefined);
    return end;
  }
}
