/**
 * Reads a tar archive as a stream: ustar, pax and GNU. It trusts nothing: every text is bounded, every number checked.
 */

import { blockBytes, entryTypes, paddingOf, readHeader, TarError, type TarHeader } from "./header.ts";

export interface TarEntry extends TarHeader {
  /** To be read before the next entry; what is not read is skipped. */
  readonly body: AsyncIterable<Buffer>;
}

/** Pairs before an entry, and names that a header has no space for. */
export const paxBytesMax = 1024 * 1024;
export const longNameBytesMax = 64 * 1024;

/** Until the end of the archive, or of what arrives. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source);
  let next: { name?: string; linkName?: string; size?: number } = {};
  for (;;) {
    const block = await bytes.take(blockBytes);
    if (block === undefined) return;
    const header = readHeader(block);
    if (header === undefined) {
      await bytes.skipAll(); // what follows the end is padding
      return;
    }
    const { type, size } = header;
    if (type === entryTypes.longName) next.name = await readLongText(bytes, size);
    else if (type === entryTypes.longLink) next.linkName = await readLongText(bytes, size);
    else if (type === entryTypes.pax) next = { ...next, ...readPairs(await readBounded(bytes, size, paxBytesMax)) };
    else if (type === entryTypes.paxGlobal) await readBounded(bytes, size, paxBytesMax);
    else {
      const hasBody = type === entryTypes.file || !/^[1-6]$/.test(type);
      const body = new Body(bytes, hasBody ? (next.size ?? size) : 0);
      const named = { ...header, ...next, size: body.size };
      // Old archives mark folders by a slash alone.
      const isFolder = type === entryTypes.file && named.name.endsWith("/");
      yield { ...named, type: isFolder ? entryTypes.directory : type, body };
      await body.skip();
      next = {};
    }
  }
}

async function readLongText(bytes: Bytes, size: number): Promise<string> {
  const text = (await readBounded(bytes, size, longNameBytesMax)).toString("utf8");
  const end = text.indexOf("\u0000");
  return end < 0 ? text : text.slice(0, end);
}

async function readBounded(bytes: Bytes, size: number, max: number): Promise<Buffer> {
  if (size > max) throw new TarError(`a header of the archive has ${size} bytes; at most ${max} are allowed`);
  const padded = await bytes.take(size + paddingOf(size));
  if (padded === undefined) throw new TarError("the archive ends in the middle of a header");
  return padded.subarray(0, size);
}

/** "30 path=some/long/name\n": the length counts itself. */
function readPairs(block: Buffer): { name?: string; linkName?: string; size?: number } {
  const found: { name?: string; linkName?: string; size?: number } = {};
  for (let at = 0; at < block.length; ) {
    const space = block.indexOf(0x20, at);
    const digits = space < 0 ? "" : block.toString("latin1", at, space);
    const end = at + Number(digits);
    if (!/^[1-9]\d{0,7}$/.test(digits) || end <= space + 1 || end > block.length || block[end - 1] !== 0x0a)
      throw new TarError("a header of the archive is damaged");
    const pair = block.toString("utf8", space + 1, end - 1);
    const [key, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
    if (key === "path") found.name = value;
    else if (key === "linkpath") found.linkName = value;
    else if (key === "size") {
      if (!/^\d{1,15}$/.test(value)) throw new TarError("the size of an entry is not a number");
      found.size = Number(value);
    }
    at = end;
  }
  return found;
}

/** The input, in the requested amounts. */
class Bytes {
  readonly #source: AsyncIterator<Uint8Array>;
  #kept: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** At least one byte and at most `max`; undefined: the end. */
  async some(max: number): Promise<Buffer | undefined> {
    while (this.#kept.length === 0) {
      const { done, value } = await this.#source.next();
      if (done) return undefined;
      this.#kept = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const part = this.#kept.subarray(0, max);
    this.#kept = this.#kept.subarray(part.length);
    return part;
  }

  /** Exactly `count` bytes; undefined: the end, before the first of them. */
  async take(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      const part = await this.some(missing);
      if (part === undefined && parts.length === 0) return undefined;
      if (part === undefined) throw new TarError("the archive ends in the middle of an entry");
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  async skipAll(): Promise<void> {
    while ((await this.some(Number.MAX_SAFE_INTEGER)) !== undefined);
  }
}

class Body implements AsyncIterable<Buffer> {
  readonly size: number;
  readonly #bytes: Bytes;
  #left: number;
  #padding: number;

  constructor(bytes: Bytes, size: number) {
    this.size = size;
    this.#bytes = bytes;
    this.#left = size;
    this.#padding = paddingOf(size);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      const part = await this.#bytes.some(this.#left);
      if (part === undefined) throw new TarError("the archive ends in the middle of an entry");
      this.#left -= part.length;
      yield part;
    }
  }

  async skip(): Promise<void> {
    for await (const _ of this);
    if (this.#padding > 0) await this.#bytes.take(this.#padding);
    this.#padding = 0;
  }
}
