/** Headers of HTTP/2 as HPACK writes them (RFC 7541): ours without compression, those of a server in any of its forms. */

import { staticHeaders } from "./header-tables.ts";
import { readHuffman } from "./huffman.ts";

const tableBytesMax = 4_096;
const entryBytes = 32;

/** What a server sent is not HPACK. */
export class HeaderError extends Error {}

/**
 * A list of headers as bytes. The numbers of names are used, but nothing is compressed or remembered: so the same headers are the same bytes on every
 * connection, and a caller may keep them.
 */
export function encodeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const whole = staticHeaders.findIndex((entry) => entry[0] === name && entry[1] === value);
    if (whole >= 0) {
      parts.push(integer(0x80, 7, whole + 1));
      continue;
    }
    const known = staticHeaders.findIndex((entry) => entry[0] === name) + 1;
    // "Never indexed": a proxy in between must not remember it either, since it may be a token.
    parts.push(integer(0x10, 4, known));
    if (known === 0) parts.push(...text(name));
    parts.push(...text(value));
  }
  return Buffer.concat(parts);
}

function text(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value, "latin1");
  return [integer(0, 7, bytes.byteLength), bytes];
}

function integer(first: number, prefixBits: number, value: number): Buffer {
  const full = 2 ** prefixBits - 1;
  if (value < full) return Buffer.of(first | value);
  const bytes = [first | full];
  let rest = value - full;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/**
 * Reads the headers of one connection. The server may give headers numbers, which hold for the rest of the connection:
 *
 *     40 .. grpc-status .. 0   -> grpc-status: 0, which is number 62 from now on
 *     be                       -> grpc-status: 0
 */
export class HeaderReader {
  /** The newest is the last. */
  #table: (readonly [name: string, value: string])[] = [];
  #tableBytes = 0;
  #bytesMax = tableBytesMax;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  /** A header that comes twice has both values, after one another. */
  read(block: Buffer): Map<string, string> {
    this.#block = block;
    this.#at = 0;
    const headers = new Map<string, string>();
    while (this.#at < block.byteLength) {
      const first = block[this.#at]!;
      if (first >= 0x80) {
        const [name, value] = this.#entry(this.#integer(7));
        add(headers, name, value);
      } else if (first >= 0x40) {
        const [name, value] = this.#literal(6);
        this.#remember(name, value);
        add(headers, name, value);
      } else if (first >= 0x20) {
        const size = this.#integer(5);
        if (size > tableBytesMax) throw new HeaderError("a table that is larger than was agreed on");
        this.#bytesMax = size;
        this.#evict();
      } else {
        const [name, value] = this.#literal(4);
        add(headers, name, value);
      }
    }
    return headers;
  }

  #literal(prefixBits: number): readonly [name: string, value: string] {
    const number = this.#integer(prefixBits);
    const name = number === 0 ? this.#text() : this.#entry(number)[0];
    return [name, this.#text()];
  }

  #entry(number: number): readonly [name: string, value: string] {
    const known = staticHeaders[number - 1];
    if (known !== undefined) return [known[0], known[1] ?? ""];
    const entry = this.#table[this.#table.length - (number - staticHeaders.length)];
    if (number === 0 || entry === undefined) throw new HeaderError(`header ${number} is not in the table`);
    return entry;
  }

  #remember(name: string, value: string): void {
    this.#table.push([name, value]);
    this.#tableBytes += name.length + value.length + entryBytes;
    this.#evict();
  }

  #evict(): void {
    let count = 0;
    for (; this.#tableBytes > this.#bytesMax; count += 1) {
      const [name, value] = this.#table[count]!;
      this.#tableBytes -= name.length + value.length + entryBytes;
    }
    if (count > 0) this.#table.splice(0, count);
  }

  #integer(prefixBits: number): number {
    const full = 2 ** prefixBits - 1;
    let value = this.#byte() & full;
    if (value < full) return value;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (value > 0xff_ffff) throw new HeaderError("a number that is too large");
      if (byte < 0x80) return value;
    }
  }

  #text(): string {
    const isHuffman = (this.#block[this.#at] ?? 0) >= 0x80;
    const length = this.#integer(7);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    if (bytes.byteLength < length) throw new HeaderError("headers that are cut off");
    this.#at += length;
    const read = isHuffman ? readHuffman(bytes) : bytes.toString("latin1");
    if (read === undefined) throw new HeaderError("a text that is not in its code");
    return read;
  }

  #byte(): number {
    const byte = this.#block[this.#at];
    if (byte === undefined) throw new HeaderError("headers that are cut off");
    this.#at += 1;
    return byte;
  }
}

function add(headers: Map<string, string>, name: string, value: string): void {
  const before = headers.get(name);
  headers.set(name, before === undefined ? value : `${before}, ${value}`);
}
