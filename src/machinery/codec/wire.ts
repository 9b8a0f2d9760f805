/** The primitives of protobuf's wire format: a writer that fills its buffer from the end, and a bounded reader. */

import { nestingMax } from "../json/json-gate.ts";
import { badRequest, tooLarge } from "../status/status.ts";

export const varintType = 0;
export const fixed64Type = 1;
export const bytesType = 2;
const groupStartType = 3;
const groupEndType = 4;
const fixed32Type = 5;

/** The tag before a field: its number and wire type, already encoded. */
export function tagBytes(number: number, wireType: number): Uint8Array {
  const bytes: number[] = [];
  let rest = (number << 3) | wireType;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/**
 * Writes from the end towards the start, so that the length of a message is known by the time its length is written:
 *
 *   writing {1: "ab"}   start      after "ab"      after the length    after the tag
 *                       ........   ......61 62     .....02 61 62       ....0a 02 61 62
 *
 * Fields are therefore written in descending order.
 */
export class WireWriter {
  #buffer: Buffer;
  #at: number;

  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
    this.#at = size;
  }

  /** How many bytes there are so far; the difference of two marks is the length of what was written between them. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  take(): Buffer {
    return this.#buffer.subarray(this.#at);
  }

  tag(tag: Uint8Array): void {
    this.#reserve(tag.length);
    for (let from = tag.length - 1; from >= 0; from--) this.#buffer[--this.#at] = tag[from] as number; // in bounds
  }

  /** The bytes from `start` to before `end`, of which there are few. */
  part(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    for (let from = end - 1; from >= start; from--) this.#buffer[--this.#at] = bytes[from] as number; // in bounds
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#buffer.set(bytes, this.#at);
  }

  /** `value` is a whole number from 0 to 2^53. */
  uint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#buffer[--this.#at] = value;
      return;
    }
    let length = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length++;
    this.#reserve(length);
    this.#at -= length;
    let rest = value;
    for (let index = 0; index < length; index++) {
      this.#buffer[this.#at + index] = (rest % 128) | (index < length - 1 ? 0x80 : 0);
      rest = Math.floor(rest / 128);
    }
  }

  /** Any integer of 64 bits; negative ones take ten bytes. */
  int(value: number | bigint): void {
    if (typeof value === "number" && value >= 0) {
      this.uint(value);
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    const bytes: number[] = [];
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.tag(Uint8Array.from(bytes));
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#buffer.writeDoubleLE(value, this.#at);
  }

  /** A text and its length. */
  string(value: string): void {
    const { length } = value;
    if (length < 48) {
      // Short ASCII, which most texts are, is faster byte by byte than by a call into the runtime.
      this.#reserve(length + 1);
      let at = this.#at;
      let index = length;
      while (index > 0) {
        const code = value.charCodeAt(--index);
        if (code > 0x7f) break;
        this.#buffer[--at] = code;
      }
      if (at === this.#at - length) {
        this.#buffer[--at] = length;
        this.#at = at;
        return;
      }
    }
    const size = Buffer.byteLength(value);
    this.#reserve(size);
    this.#at -= size;
    this.#buffer.write(value, this.#at, size, "utf8");
    this.uint(size);
  }

  /** Bytes given in base64, and their length. */
  base64(value: string): void {
    const bytes = Buffer.from(value, "base64");
    this.raw(bytes);
    this.uint(bytes.length);
  }

  #reserve(size: number): void {
    if (size <= this.#at) return;
    const used = this.length;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, used + size));
    this.#buffer.copy(grown, grown.length - used, this.#at);
    this.#at = grown.length - used;
    this.#buffer = grown;
  }
}

/** Reads what a client sent. Everything it cannot read is a bad request. */
export class Reader {
  readonly #bytes: Buffer;
  /** All bytes as one text: cutting short ASCII texts out of it is faster than decoding each. */
  readonly #text: string;
  at = 0;
  /** Where the current message ends. */
  end: number;
  depth = 0;
  /** Messages and list items that may still come; each costs many times its bytes. */
  parts: number;

  constructor(bytes: Uint8Array, partsMax: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#text = this.#bytes.toString("latin1");
    this.end = bytes.length;
    this.parts = partsMax;
  }

  count(): void {
    if (--this.parts < 0) throw tooLarge("the body has too many parts");
  }

  /** A varint as an unsigned integer; those of more than 53 bits are bigint. */
  uint(): number | bigint {
    let value = 0;
    let scale = 1;
    for (let index = 0; index < 7; index++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    let wide = BigInt(value);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      wide |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        wide = BigInt.asUintN(64, wide);
        return wide <= Number.MAX_SAFE_INTEGER ? Number(wide) : wide;
      }
    }
    throw malformed("a varint has more than ten bytes");
  }

  int32(): number {
    const value = this.uint();
    return typeof value === "number" && value < 2 ** 31 ? value : Number(BigInt.asIntN(32, BigInt(value)));
  }

  uint32(): number {
    return Number(BigInt.asUintN(32, BigInt(this.uint())));
  }

  int64(): number | bigint {
    const value = this.uint();
    if (typeof value === "number") return value;
    const signed = BigInt.asIntN(64, value);
    const short = Number(signed);
    return Number.isSafeInteger(short) ? short : signed;
  }

  double(): number {
    this.#need(8);
    this.at += 8;
    return this.#bytes.readDoubleLE(this.at - 8);
  }

  bytes(): Buffer {
    const length = this.#length();
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  string(): string {
    const length = this.#length();
    const start = this.at;
    this.at += length;
    for (let at = start; at < this.at; at++) {
      if ((this.#bytes[at] as number) > 0x7f) return this.#bytes.toString("utf8", start, this.at); // in bounds
    }
    return this.#text.slice(start, this.at);
  }

  base64(): string {
    return this.bytes().toString("base64");
  }

  /** Reads an embedded message: `body` is called with the reader bounded to it, and must read up to `end`. */
  message<T>(body: (reader: Reader) => T): T {
    const outer = this.enter();
    const result = body(this);
    this.leave(outer);
    return result;
  }

  /** Begins an embedded message; `leave` gets what this returns. */
  enter(): number {
    const length = this.#length();
    this.count();
    if (++this.depth > nestingMax) throw malformed(`it nests deeper than ${nestingMax} levels`);
    const outer = this.end;
    this.end = this.at + length;
    return outer;
  }

  leave(outer: number): void {
    this.end = outer;
    this.depth--;
  }

  /** The length that comes next, without reading it. */
  nextLength(): number {
    const { at } = this;
    const length = this.#length();
    this.at = at;
    return length;
  }

  /** The number and wire type of the next field. */
  tag(): { readonly number: number; readonly wireType: number } {
    const tag = Number(this.uint());
    const number = Math.floor(tag / 8);
    if (number < 1 || number >= 2 ** 29) throw malformed("a field has no valid number");
    return { number, wireType: tag % 8 };
  }

  /** The fields of a message, one after the other: `read` returns false for those it does not know. */
  fields(read: (number: number, wireType: number) => boolean): void {
    while (this.at < this.end) {
      const tag = Number(this.uint());
      const wireType = tag % 8;
      const number = Math.floor(tag / 8);
      if (number < 1 || number >= 2 ** 29) throw malformed("a field has no valid number");
      if (!read(number, wireType)) this.skip(wireType);
    }
  }

  expect(wireType: number, wanted: number): void {
    if (wireType !== wanted) throw malformed("a field has the wrong wire type");
  }

  skip(wireType: number): void {
    switch (wireType) {
      case varintType:
        this.uint();
        return;
      case fixed64Type:
        this.#need(8);
        this.at += 8;
        return;
      case bytesType:
        this.bytes();
        return;
      case fixed32Type:
        this.#need(4);
        this.at += 4;
        return;
      case groupStartType:
        this.#skipGroup();
        return;
      default:
        throw malformed("a field has no valid type");
    }
  }

  #skipGroup(): void {
    for (let open = 1; open > 0; ) {
      const wireType = Number(this.uint()) % 8;
      if (wireType === groupStartType) open++;
      else if (wireType === groupEndType) open--;
      else this.skip(wireType);
    }
  }

  #byte(): number {
    if (this.at >= this.end) throw malformed("it ends too early");
    return this.#bytes[this.at++] as number; // in bounds
  }

  #length(): number {
    const length = this.uint();
    if (typeof length !== "number") throw malformed("a length has more than 53 bits");
    this.#need(length);
    return length;
  }

  #need(length: number): void {
    if (length > this.end - this.at) throw malformed("it ends too early");
  }
}

export function malformed(detail: string) {
  return badRequest(`the body is not a protobuf message of this kind: ${detail}`);
}
