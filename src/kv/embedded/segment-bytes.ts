/** Numbers, texts and keys as the parts of a segment have them. */

import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from "node:zlib";
import { KvError } from "../contract.ts";

export class BytesWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(bytes = 4_096) {
    this.#buffer = Buffer.allocUnsafe(bytes);
  }

  get length(): number {
    return this.#length;
  }

  /** What was written; nothing may be added after it. */
  take(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#length++] = value;
  }

  /** A whole number from 0 to 2^53. */
  number(value: number): void {
    this.#room(8);
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#buffer[this.#length++] = (rest % 128) | 0x80;
    this.#buffer[this.#length++] = rest;
  }

  /** A whole number of either sign. */
  signed(value: number): void {
    this.number(value < 0 ? -value * 2 - 1 : value * 2);
  }

  bytes(value: Uint8Array): void {
    this.#room(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  text(value: string): void {
    const bytes = Buffer.from(value);
    this.number(bytes.length);
    this.bytes(bytes);
  }

  /** A key that follows another one: most begin as that one does. */
  keyAfter(before: string, key: string): void {
    let same = 0;
    while (same < key.length && before.charCodeAt(same) === key.charCodeAt(same)) same += 1;
    // Never half a character.
    if (same > 0 && (key.charCodeAt(same - 1) & 0xfc00) === 0xd800) same -= 1;
    this.number(same);
    this.text(key.slice(same));
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    larger.set(this.take());
    this.#buffer = larger;
  }
}

/** Throws KvError("damaged") where the bytes end too early. */
export class BytesReader {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new KvError("damaged", "a segment of the history is cut off");
    return byte;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  text(): string {
    const length = this.number();
    this.at += length;
    return this.#bytes.toString("utf8", this.at - length, this.at);
  }

  keyAfter(before: string): string {
    const same = this.number();
    const rest = this.text();
    return rest === "" && same === before.length ? before : before.slice(0, same) + rest;
  }

  bytes(length: number): Uint8Array {
    this.at += length;
    if (this.at > this.#bytes.length) throw new KvError("damaged", "a segment of the history is cut off");
    return this.#bytes.subarray(this.at - length, this.at);
  }

  get hasMore(): boolean {
    return this.at < this.#bytes.length;
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.at);
  }
}

/** A part with its checksum, in which the part's place is. */
export function seal(contents: Uint8Array, last: bigint, part: number): Buffer {
  const out = Buffer.allocUnsafe(contents.length + 4);
  out.set(contents, 4);
  out.writeUInt32BE(crc32(contents, seedOf(last, part)));
  return out;
}

/** Throws KvError("damaged"). */
export function unseal(bytes: Buffer | undefined, last: bigint, part: number): Buffer {
  const contents = bytes?.subarray(4);
  if (bytes === undefined || contents === undefined || bytes.length < 4)
    throw new KvError("damaged", `part ${part} of the history up to revision ${last} is missing`);
  if (bytes.readUInt32BE() !== crc32(contents, seedOf(last, part)))
    throw new KvError("damaged", `part ${part} of the history up to revision ${last} is damaged`);
  return contents;
}

const seedOf = (last: bigint, part: number): number =>
  (Number(BigInt.asUintN(32, last)) ^ Math.imul(part, 0x9e3779b1)) >>> 0;

/** Bits of a filter of so many, by a hash of 32 bits. */
export function bitsOf(hash: number, bits: number, count: number): number[] {
  const step = (Math.imul(hash, 0x85ebca6b) >>> 7) | 1;
  return Array.from({ length: count }, (_, at) => (hash + at * step) % bits);
}

export const hashOf = (key: string): number => crc32(key);

/** Better is several times slower and saves a hundredth. */
const quality = 5;

export const compress = (bytes: Uint8Array): Buffer =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });

/** Throws KvError("damaged"). */
export function decompress(bytes: Uint8Array): Buffer {
  try {
    return brotliDecompressSync(bytes);
  } catch (error) {
    throw new KvError("damaged", "a part of the history is damaged", { cause: error });
  }
}
