/** A segment of a history: all changes of a span of revisions with the states that they replaced, by key, in compressed blocks. */

import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { KvError } from "../contract.ts";
import { folderOf } from "../folder-of.ts";
import type { FormerRecord, NoteRecord } from "./records.ts";
import { BytesReader, BytesWriter, bitsOf, hashOf, seal } from "./segment-bytes.ts";

/** A block has at least so many bytes before it is compressed. A larger one is smaller in the end, and dearer to look into. */
const blockBytes = 64 * 1024;
/** Of the filter that says which keys a segment does not have: one in fifty of these is read in vain. */
const filterBitsPerKey = 8;
const filterHashes = 4;

/** A change of a segment, and the state that it replaced. */
export interface SegmentChange {
  readonly note: NoteRecord;
  /** Undefined: it replaced none. */
  readonly former: FormerRecord | undefined;
}

/** What is known of a segment without its parts; it is in memory for each. */
export interface SegmentHead {
  /** It has the changes from one revision to the other, both included. */
  readonly first: bigint;
  readonly last: bigint;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly changes: number;
  /** Of all its parts. */
  readonly bytes: number;
  readonly parts: number;
  /** What the store had counted up to `last`, as in NotedState. */
  readonly totalBytes: number;
  readonly savedBytes: number;
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
  const [firstAtMs, lastAtMs, changes, ofParts, parts, totalBytes, savedBytes] = headNumbers.map(() => from.number());
  return {
    first,
    last,
    firstAtMs: firstAtMs!,
    lastAtMs: lastAtMs!,
    changes: changes!,
    bytes: ofParts!,
    parts: parts!,
    totalBytes: totalBytes!,
    savedBytes: savedBytes!,
  };
}

const headNumbers = ["firstAtMs", "lastAtMs", "changes", "bytes", "parts", "totalBytes", "savedBytes"] as const;

/** Takes the changes by key, and those of each key by revision. */
export class SegmentBuilder {
  readonly #first: bigint;
  readonly #blocks: Buffer[] = [];
  readonly #begins: { key: string; revision: bigint }[] = [];
  readonly #folders = new Map<string, number>();
  readonly #places: Place[] = [];
  readonly #hashes: number[] = [];
  readonly #firstAtMs: number;
  #block: BlockWriter;
  #key: string | undefined;
  #lastAtMs = 0;

  /** The revision and the time from which it counts. */
  constructor(first: bigint, firstAtMs: number) {
    this.#first = first;
    this.#firstAtMs = firstAtMs;
    this.#block = new BlockWriter(first, firstAtMs);
  }

  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  add(change: SegmentChange): void {
    const { key, revision, atMs } = change.note;
    this.#lastAtMs = Math.max(this.#lastAtMs, atMs);
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
    this.#block = new BlockWriter(this.#first, this.#firstAtMs);
  }

  /** Nothing may be added after it. `last` may be behind the last change. */
  finish(last: bigint, counted: Pick<SegmentHead, "totalBytes" | "savedBytes">): PackedSegment {
    this.#endBlock();
    const places = this.#places.sort((one, other) => (one.revision < other.revision ? -1 : 1));
    const contents = [this.#keys(), this.#placesPart(places), ...this.#blocks];
    const sealed = contents.map((part, at) => seal(part, last, at + 1));
    const head: SegmentHead = {
      first: this.#first,
      last,
      firstAtMs: this.#firstAtMs,
      lastAtMs: Math.max(this.#firstAtMs, this.#lastAtMs),
      changes: places.length,
      bytes: sealed.reduce((bytes, part) => bytes + part.length, headBytesMax),
      parts: sealed.length + 1,
      ...counted,
    };
    return { head, parts: [seal(encodeHead(head), last, headPart), ...sealed] };
  }

  #keys(): Buffer {
    const out = new BytesWriter();
    out.number(this.#begins.length);
    let before = "";
    for (const { key, revision } of this.#begins) {
      out.keyAfter(before, key);
      out.number(Number(revision - this.#first));
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
    let before = this.#first;
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

const isDeleted = 1;
const hasFormer = 2;
const isDifference = 4;
/** The change of the same key that stands before it is the one before it. */
const followsChange = 8;
/** The state is of the same object as that of the change before. */
const sameObject = 16;
const sameKey = 32;

/** Beginnings of all changes first, then all notes, then all states, and differences in two parts: what is alike is near. */
class BlockWriter {
  readonly #first: bigint;
  readonly #firstAtMs: number;
  readonly #headers = new BytesWriter();
  readonly #notes = new BytesWriter();
  readonly #steps = new BytesWriter();
  readonly #states = new BytesWriter();
  #count = 0;
  #key = "";
  #revision: bigint;
  #created = 0n;

  constructor(first: bigint, firstAtMs: number) {
    this.#first = first;
    this.#firstAtMs = firstAtMs;
    this.#revision = first;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get bytes(): number {
    return this.#headers.length + this.#notes.length + this.#steps.length + this.#states.length;
  }

  add({ note, former }: SegmentChange): void {
    const out = this.#headers;
    const { key, revision, previous } = note;
    const isSameKey = key === this.#key;
    const follows = isSameKey && previous === this.#revision;
    const isSame = isSameKey && former !== undefined && former.created === this.#created;
    out.byte(
      (note.deleted ? isDeleted : 0) |
        (former === undefined ? 0 : hasFormer) |
        (former?.isDifference === true ? isDifference : 0) |
        (follows ? followsChange : 0) |
        (isSame ? sameObject : 0) |
        (isSameKey ? sameKey : 0),
    );
    if (!isSameKey) out.keyAfter(this.#key, key);
    out.number(Number(revision - (isSameKey ? this.#revision : this.#first)));
    if (!follows) out.number(previous === 0n ? 0 : Number(revision - previous));
    this.#key = key;
    this.#revision = revision;
    out.number(Math.max(0, Math.floor(note.atMs - this.#firstAtMs)));
    out.number(note.note.length);
    this.#notes.bytes(note.note);
    this.#count += 1;
    if (former === undefined) return;
    out.byte(former.depth);
    if (!isSame) out.number(Number(previous - former.created));
    this.#created = former.created;
    const [steps, states] = [this.#steps.length, this.#states.length];
    if (former.isDifference) splitDifference(former.contents, this.#steps, this.#states);
    else this.#states.bytes(former.contents);
    if (former.isDifference) out.number(this.#steps.length - steps);
    out.number(this.#states.length - states);
  }

  finish(): Buffer {
    const begin = new BytesWriter();
    const parts = [this.#headers, this.#notes, this.#steps, this.#states].map((part) => part.take());
    begin.number(this.#count);
    for (const part of parts) begin.number(part.length);
    return compress(Buffer.concat([begin.take(), ...parts]));
  }
}

/** The changes of a block, by key and revision. What had been counted up to each is not in it, so it is that of the whole segment. */
export function readBlock(
  bytes: Uint8Array,
  { first, firstAtMs, totalBytes, savedBytes }: SegmentHead,
): SegmentChange[] {
  const raw = decompress(bytes);
  const begin = new BytesReader(raw);
  const count = begin.number();
  const lengths = [begin.number(), begin.number(), begin.number(), begin.number()];
  let at = begin.at;
  const [headers, notes, steps, states] = lengths.map((length) => {
    at += length;
    return new BytesReader(raw.subarray(at - length, at));
  }) as [BytesReader, BytesReader, BytesReader, BytesReader];
  const changes: SegmentChange[] = [];
  let key = "";
  let revision = first;
  let created = 0n;
  for (let left = count; left > 0; left -= 1) {
    const flags = headers.byte();
    if ((flags & sameKey) === 0) {
      key = headers.keyAfter(key);
      revision = first;
    }
    const before = revision;
    revision += BigInt(headers.number());
    const previous = (flags & followsChange) !== 0 ? before : back0(revision, headers.number());
    const atMs = firstAtMs + headers.number();
    const note: NoteRecord = {
      key,
      revision,
      previous,
      deleted: (flags & isDeleted) !== 0,
      atMs,
      totalBytes,
      note: notes.bytes(headers.number()),
    };
    let former: FormerRecord | undefined;
    if ((flags & hasFormer) !== 0) {
      const depth = headers.byte();
      if ((flags & sameObject) === 0) created = previous - BigInt(headers.number());
      const isJoined = (flags & isDifference) !== 0;
      const parts: StateParts = {
        replacedBy: revision,
        revision: previous,
        created,
        isDifference: isJoined,
        depth,
        savedBytes,
        steps: isJoined ? steps.bytes(headers.number()) : undefined,
        states: states.bytes(headers.number()),
      };
      former = new PackedState(parts);
    }
    changes.push({ note, former });
  }
  return changes;
}

type StateParts = Omit<FormerRecord, "contents" | "previous"> & {
  /** Undefined: it is whole. */
  readonly steps: Uint8Array | undefined;
  readonly states: Uint8Array;
};

/** Decodes the contents of a state when they are first asked for: most states of a block are never read. */
class PackedState implements FormerRecord {
  readonly replacedBy: bigint;
  readonly revision: bigint;
  readonly created: bigint;
  /** Nothing asks for it: the change of that revision has it. */
  readonly previous = 0n;
  readonly isDifference: boolean;
  readonly depth: number;
  readonly savedBytes: number;
  readonly #steps: Uint8Array | undefined;
  readonly #states: Uint8Array;

  constructor({ replacedBy, revision, created, isDifference, depth, savedBytes, steps, states }: StateParts) {
    this.replacedBy = replacedBy;
    this.revision = revision;
    this.created = created;
    this.isDifference = isDifference;
    this.depth = depth;
    this.savedBytes = savedBytes;
    this.#steps = steps;
    this.#states = states;
  }

  get contents(): Uint8Array {
    return this.#steps === undefined ? this.#states : joinDifference(this.#steps, this.#states);
  }
}

const back0 = (revision: bigint, back: number): bigint => (back === 0 ? 0n : revision - BigInt(back));

/**
 * A difference (base/difference.ts) as its steps, which are alike for objects of one kind, and the bytes that are new. Where a piece is copied
 * from counts from where the one before has ended, so that most are zero.
 */
function splitDifference(contents: Uint8Array, steps: BytesWriter, states: BytesWriter): void {
  const from = new BytesReader(contents);
  let expected = 0;
  while (from.at < contents.length) {
    const step = from.number();
    steps.number(step);
    if ((step & 1) === 1) {
      const copied = from.number();
      const distance = copied - expected;
      steps.number(distance < 0 ? -distance * 2 - 1 : distance * 2);
      expected = copied + (step >>> 1);
    } else {
      states.bytes(from.bytes(step >>> 1));
      expected += step >>> 1;
    }
  }
}

function joinDifference(stepBytes: Uint8Array, stateBytes: Uint8Array): Uint8Array {
  const [steps, states] = [new BytesReader(stepBytes), new BytesReader(stateBytes)];
  const out = new BytesWriter(256);
  let expected = 0;
  while (steps.at < stepBytes.length) {
    const step = steps.number();
    out.number(step);
    if ((step & 1) === 1) {
      const distance = steps.number();
      const copied = expected + ((distance & 1) === 1 ? -(distance + 1) / 2 : distance / 2);
      out.number(copied);
      expected = copied + (step >>> 1);
    } else {
      out.bytes(states.bytes(step >>> 1));
      expected += step >>> 1;
    }
  }
  return out.take();
}

/** Better is several times slower and saves a hundredth. */
const quality = 5;

const compress = (bytes: Uint8Array): Buffer =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });

/** Throws KvError("damaged"). */
function decompress(bytes: Uint8Array): Buffer {
  try {
    return brotliDecompressSync(bytes);
  } catch (error) {
    throw new KvError("damaged", "a part of the history is damaged", { cause: error });
  }
}
