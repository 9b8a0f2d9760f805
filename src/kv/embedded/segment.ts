/** A segment of a history: all changes of a span of revisions with the states that they replaced, by key, in compressed blocks. */

import { folderOf } from "../folder-of.ts";
import { BlockWriter, type SegmentChange, type SegmentSpan } from "./segment-block.ts";
import { BytesReader, BytesWriter, bitsOf, compress, decompress, hashOf, seal } from "./segment-bytes.ts";

/** A block has at least so many bytes before it is compressed. A larger one is smaller in the end, and dearer to look into. */
const blockBytes = 128 * 1024;
/** Of the filter that says which keys a segment does not have: one in fifty of these is read in vain. */
const filterBitsPerKey = 8;
const filterHashes = 4;

/** What is known of a segment without its parts; it is in memory for each. */
export interface SegmentHead extends SegmentSpan {
  readonly changes: number;
  /** Of all its parts. */
  readonly bytes: number;
  readonly parts: number;
  /** What the store had counted up to `last`, as in NotedState. */
  readonly totalBytes: number;
  readonly movedBytes: number;
}

/** The parts of a segment by their numbers: the head, what keys it has, where its revisions are, and from `firstBlock` on the blocks. */
export const headPart = 0;
export const keysPart = 1;
export const placesPart = 2;
export const firstBlock = 3;

const headBytesMax = 80;

export interface PackedSegment {
  readonly head: SegmentHead;
  readonly parts: readonly Buffer[];
}

interface Place {
  readonly revision: bigint;
  readonly block: number;
  readonly folder: number;
}

function encodeHead(head: SegmentHead): Buffer {
  const out = new BytesWriter();
  out.number(Number(head.first));
  for (const of of headNumbers) out.number(Math.floor(head[of]));
  return out.take();
}

export function decodeHead(bytes: Uint8Array, last: bigint): SegmentHead {
  const from = new BytesReader(bytes);
  const first = BigInt(from.number());
  const [firstAtMs, lastAtMs, changes, ofParts, parts, totalBytes, movedBytes] = headNumbers.map(() => from.number());
  return {
    first,
    last,
    firstAtMs: firstAtMs!,
    lastAtMs: lastAtMs!,
    changes: changes!,
    bytes: ofParts!,
    parts: parts!,
    totalBytes: totalBytes!,
    movedBytes: movedBytes!,
  };
}

const headNumbers = ["firstAtMs", "lastAtMs", "changes", "bytes", "parts", "totalBytes", "movedBytes"] as const;

/** Takes the changes by key, and those of each key by revision. */
export class SegmentBuilder {
  readonly #span: SegmentSpan;
  readonly #blocks: Buffer[] = [];
  readonly #begins: { key: string; revision: bigint }[] = [];
  readonly #folders = new Map<string, number>();
  readonly #places: Place[] = [];
  readonly #hashes: number[] = [];
  #block: BlockWriter;
  #key: string | undefined;

  /** `last` may be behind the last change. */
  constructor(span: SegmentSpan) {
    const [firstAtMs, lastAtMs] = [Math.floor(span.firstAtMs), Math.floor(span.lastAtMs)];
    this.#span = { ...span, firstAtMs, lastAtMs: Math.max(firstAtMs, lastAtMs) };
    this.#block = new BlockWriter(this.#span);
  }

  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  add(change: SegmentChange): void {
    const { key, revision } = change.note;
    if (this.#block.isEmpty) this.#begins.push({ key, revision });
    if (key !== this.#key) this.#hashes.push(hashOf(key));
    this.#key = key;
    const name = folderOf(key);
    const folder = this.#folders.get(name) ?? this.#folders.size;
    if (folder === this.#folders.size) this.#hashes.push(hashOf(inFilter(name)));
    this.#folders.set(name, folder);
    this.#places.push({ revision, block: this.#blocks.length, folder });
    this.#block.add(change);
    if (this.#block.bytes >= blockBytes) this.#endBlock();
  }

  #endBlock(): void {
    if (this.#block.isEmpty) return;
    this.#blocks.push(this.#block.finish());
    this.#block = new BlockWriter(this.#span);
  }

  /** Nothing may be added after it. */
  finish({ totalBytes, movedBytes }: Pick<SegmentHead, "totalBytes" | "movedBytes">): PackedSegment {
    this.#endBlock();
    const { last } = this.#span;
    const places = this.#places.sort((one, other) => (one.revision < other.revision ? -1 : 1));
    const contents = [this.#keys(), this.#placesPart(places), ...this.#blocks];
    const sealed = contents.map((part, at) => seal(part, last, at + 1));
    const head: SegmentHead = {
      ...this.#span,
      changes: places.length,
      bytes: sealed.reduce((bytes, part) => bytes + part.length, headBytesMax),
      parts: sealed.length + 1,
      totalBytes,
      movedBytes,
    };
    return { head, parts: [seal(encodeHead(head), last, headPart), ...sealed] };
  }

  #keys(): Buffer {
    const out = new BytesWriter();
    out.number(this.#begins.length);
    let before = "";
    for (const { key, revision } of this.#begins) {
      out.keyAfter(before, key);
      out.number(Number(revision - this.#span.first));
      before = key;
    }
    const filter = Buffer.alloc(Math.max(8, Math.ceil((this.#hashes.length * filterBitsPerKey) / 8)));
    for (const hash of this.#hashes)
      for (const bit of bitsOf(hash, filter.length * 8, filterHashes)) filter[bit >> 3]! |= 1 << (bit & 7);
    out.bytes(filter);
    return out.take();
  }

  #placesPart(places: readonly Place[]): Buffer {
    const out = new BytesWriter();
    out.number(this.#folders.size);
    for (const name of this.#folders.keys()) out.text(name);
    out.number(places.length);
    let before = this.#span.first;
    for (const { revision } of places) {
      out.number(Number(revision - before));
      before = revision;
    }
    // The low bytes have no pattern; kept apart from the high ones, these take little.
    for (const shift of [0, 8]) for (const { block } of places) out.byte((block >> shift) & 0xff);
    for (const { folder } of places) out.number(folder);
    return compress(out.take());
  }
}

/** No key is like that. */
const inFilter = (folder: string): string => `\0${folder}`;

/** What keys and folders a segment may have, and which block begins with which change. */
export class SegmentKeys {
  readonly #begins: { readonly key: string; readonly revision: bigint }[] = [];
  readonly #filter: Uint8Array;

  constructor(bytes: Uint8Array, first: bigint) {
    const from = new BytesReader(bytes);
    let key = "";
    for (let left = from.number(); left > 0; left -= 1) {
      key = from.keyAfter(key);
      this.#begins.push({ key, revision: first + BigInt(from.number()) });
    }
    this.#filter = from.rest();
  }

  mayHaveFolder(name: string): boolean {
    return this.mayHave(inFilter(name));
  }

  mayHave(key: string): boolean {
    for (const bit of bitsOf(hashOf(key), this.#filter.length * 8, filterHashes))
      if ((this.#filter[bit >> 3]! & (1 << (bit & 7))) === 0) return false;
    return true;
  }

  get blocks(): number {
    return this.#begins.length;
  }

  beginOf(block: number): string | undefined {
    return this.#begins[block]?.key;
  }

  /** The block in which the change of a key at a revision is, or would be; -1: before the first. */
  blockOf(key: string, revision: bigint): number {
    let low = 0;
    let high = this.#begins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const begin = this.#begins[middle]!;
      if (begin.key < key || (begin.key === key && begin.revision <= revision)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Where the changes of a segment are, in the order of revisions. */
export class SegmentPlaces {
  readonly #first: bigint;
  /** Offsets from the first revision. */
  readonly #offsets: Float64Array;
  readonly #blocks: Uint16Array;
  readonly #folders: Uint32Array;
  readonly #names = new Map<string, number>();

  constructor(bytes: Uint8Array, first: bigint) {
    const from = new BytesReader(decompress(bytes));
    this.#first = first;
    const names = from.number();
    for (let at = 0; at < names; at += 1) this.#names.set(from.text(), at);
    const count = from.number();
    this.#offsets = new Float64Array(count);
    this.#blocks = new Uint16Array(count);
    this.#folders = new Uint32Array(count);
    let offset = 0;
    for (let at = 0; at < count; at += 1) this.#offsets[at] = offset += from.number();
    for (const shift of [0, 8]) for (let at = 0; at < count; at += 1) this.#blocks[at]! |= from.byte() << shift;
    for (let at = 0; at < count; at += 1) this.#folders[at] = from.number();
  }

  /** The block that has the change of a revision; undefined: there is none. */
  blockOf(revision: bigint): number | undefined {
    const at = this.#firstAtLeast(revision);
    return this.#offsets[at] === Number(revision - this.#first) ? this.#blocks[at] : undefined;
  }

  /** The newest changes at the revision or before, newest first; `folder`: only those of keys in it. */
  down(revision: bigint, limit: number, folder?: string): { revision: bigint; block: number }[] {
    const wanted = folder === undefined ? undefined : (this.#names.get(folder) ?? -1);
    const found: { revision: bigint; block: number }[] = [];
    for (let at = this.#firstAtLeast(revision + 1n) - 1; at >= 0 && found.length < limit; at -= 1)
      if (wanted === undefined || this.#folders[at] === wanted) found.push(this.#at(at));
    return found;
  }

  /** The oldest changes at the revision or after, oldest first. */
  up(revision: bigint, limit: number, folder?: string): { revision: bigint; block: number }[] {
    const wanted = folder === undefined ? undefined : (this.#names.get(folder) ?? -1);
    const found: { revision: bigint; block: number }[] = [];
    for (let at = this.#firstAtLeast(revision); at < this.#offsets.length && found.length < limit; at += 1)
      if (wanted === undefined || this.#folders[at] === wanted) found.push(this.#at(at));
    return found;
  }

  #at(at: number): { revision: bigint; block: number } {
    return { revision: this.#first + BigInt(this.#offsets[at]!), block: this.#blocks[at]! };
  }

  #firstAtLeast(revision: bigint): number {
    const wanted = Number(revision - this.#first);
    let low = 0;
    let high = this.#offsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#offsets[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
