/** The segments of an embedded store's history, oldest first. They are written and removed in the commits of `Disk`. */

import { LruMap } from "../../base/lru-map.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import { KvError } from "../contract.ts";
import { decodeRevision, encodeRevision, type NoteRecord } from "./records.ts";
import {
  decodeHead,
  firstBlock,
  headPart,
  keysPart,
  type PackedSegment,
  placesPart,
  type SegmentHead,
  SegmentKeys,
  SegmentPlaces,
} from "./segment.ts";
import { readBlock, type SegmentChange } from "./segment-block.ts";
import { unseal } from "./segment-bytes.ts";
import type { Table, Tables } from "./tables.ts";

/** The blocks of one segment: who reads changes in their order comes back to each. */
const rememberedBlocksMax = 256;
const rememberedKeysMax = 256;
const rememberedPlacesMax = 8;

/** Where a change is. */
interface SegmentPlace {
  readonly head: SegmentHead;
  readonly revision: bigint;
  readonly block: number;
}

export class Segments {
  /** After a failed commit they are others, or cannot be read. */
  readonly #tables: () => Tables;
  #heads: readonly SegmentHead[] = [];
  #blocks = new LruMap<string, readonly SegmentChange[]>(rememberedBlocksMax);
  #keys = new LruMap<bigint, SegmentKeys>(rememberedKeysMax);
  #places = new LruMap<bigint, SegmentPlaces>(rememberedPlacesMax);

  constructor(tables: () => Tables) {
    this.#tables = tables;
  }

  get #table(): Table | undefined {
    return this.#tables().segments;
  }

  get heads(): readonly SegmentHead[] {
    return this.#heads;
  }

  /** All changes up to this revision that are kept are in segments; 0n: none is. */
  get through(): bigint {
    return this.#heads.at(-1)?.last ?? 0n;
  }

  /** Reads what segments there are up to a revision. Returns the revisions by which others are known, which are to be removed. */
  load(through: bigint): bigint[] {
    const heads: SegmentHead[] = [];
    const others: bigint[] = [];
    for (const last of this.#lasts()) {
      if (last > through) others.push(last);
      else heads.push(decodeHead(this.#part(last, headPart), last));
    }
    this.#heads = heads;
    return others;
  }

  *#lasts(): Generator<bigint> {
    for (let from = 0n; ; ) {
      const [next] = [...(this.#table?.getKeys({ start: partKey(from, 0), limit: 1 }) ?? [])];
      if (next === undefined) return;
      const last = decodeRevision(next.subarray(0, 8));
      yield last;
      from = last + 1n;
    }
  }

  /** Reads all parts of the segments up to a revision. */
  *problems(through: bigint): Generator<string> {
    for (const last of this.#lasts()) {
      if (last > through) continue;
      try {
        const head = decodeHead(this.#part(last, headPart), last);
        this.#part(last, keysPart);
        this.#part(last, placesPart);
        let changes = 0;
        for (let part = firstBlock; part < head.parts; part += 1)
          changes += readBlock(this.#part(last, part), head).length;
        if (changes !== head.changes)
          yield `the history up to revision ${last} has ${changes} changes, and should have ${head.changes}`;
      } catch (error) {
        if (!(error instanceof KvError)) throw error;
        yield error.message;
      }
    }
  }

  put({ head, parts }: PackedSegment): void {
    if (this.has(head.last)) this.remove(head.last);
    for (const [at, part] of parts.entries()) this.#table?.put(partKey(head.last, at), part);
  }

  /** In a commit, as `put`. */
  remove(last: bigint): void {
    const range = { start: partKey(last, 0), end: partKey(last + 1n, 0) };
    for (const key of [...(this.#table?.getKeys(range) ?? [])]) this.#table?.remove(key);
  }

  /** It may be in the place of one that was made again. */
  added(head: SegmentHead): void {
    if (!this.has(head.last)) {
      this.#heads = [...this.#heads, head];
      return;
    }
    this.#heads = this.#heads.map((one) => (one.last === head.last ? head : one));
    this.#keys = new LruMap(rememberedKeysMax);
    this.release();
  }

  has(last: bigint): boolean {
    return this.head(last) !== undefined;
  }

  /** Undefined: it has left the history. */
  head(last: bigint): SegmentHead | undefined {
    const found = this.#headOf(last);
    return found?.last === last ? found : undefined;
  }

  /** The blocks of a segment in their order, also while others are made; `isMeant`: only those that may have such keys. */
  *blocksWith(last: bigint, isMeant: (key: string) => boolean = () => true): Generator<readonly SegmentChange[]> {
    const head = this.head(last);
    if (head === undefined) return;
    const keys = this.#keysOf(head);
    for (let block = 0; block < keys.blocks && this.head(last) === head; block += 1) {
      const [begin, end] = [keys.beginOf(block)!, keys.beginOf(block + 1)];
      // All keys between two of one kind and namespace are of that kind.
      if (end !== undefined && parentOf(begin) === parentOf(end) && !isMeant(begin)) continue;
      yield readBlock(this.#part(last, firstBlock + block), head);
    }
  }

  removed(last: bigint): void {
    this.#heads = this.#heads.filter((head) => head.last !== last);
  }

  /** What was read is forgotten: called when nobody has asked for a while. */
  release(): void {
    this.#blocks = new LruMap(rememberedBlocksMax);
    this.#places = new LruMap(rememberedPlacesMax);
  }

  /** How many bytes the segments with changes after a revision take. */
  bytesAfter(revision: bigint): number {
    return this.#heads.reduce((bytes, head) => bytes + (head.last > revision ? head.bytes : 0), 0);
  }

  /** The change of a key at a revision; undefined: there is none. */
  change(key: string, revision: bigint): SegmentChange | undefined {
    const head = this.#headOf(revision);
    if (head === undefined) return undefined;
    const block = this.#keysOf(head).blockOf(key, revision);
    return this.#block(head, block).find(({ note }) => note.revision === revision && note.key === key);
  }

  /** The note of a revision; undefined: there is none. */
  note(revision: bigint): NoteRecord | undefined {
    const head = this.#headOf(revision);
    const block = head && this.#placesOf(head).blockOf(revision);
    return block === undefined ? undefined : this.#noteIn(head!, block, revision);
  }

  /** The first change of a key after a revision. */
  nextOf(key: string, after: bigint): NoteRecord | undefined {
    for (const head of this.#heads) {
      if (head.last <= after) continue;
      const [found] = this.#changesIn(head, key, { after, limit: 1 });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The changes of a key in one segment up to a revision, oldest first. */
  *ofKey(key: string, upTo: bigint, upward: boolean): Generator<NoteRecord[]> {
    for (const { last } of upward ? this.#heads : this.#heads.toReversed()) {
      // It may have left the history, or was made again, while somebody was reading.
      const head = this.head(last);
      if (head === undefined || head.first > upTo) continue;
      const found = [...this.#changesIn(head, key, { after: 0n })].filter(({ revision }) => revision <= upTo);
      if (found.length > 0) yield upward ? found : found.reverse();
    }
  }

  *#changesIn(
    head: SegmentHead,
    key: string,
    { after, limit = Number.POSITIVE_INFINITY }: { readonly after: bigint; readonly limit?: number },
  ): Generator<NoteRecord> {
    const keys = this.#keysOf(head);
    if (!keys.mayHave(key)) return;
    let left = limit;
    const from = Math.max(0, keys.blockOf(key, after));
    for (let block = from; block < keys.blocks && keys.beginOf(block)! <= key; block += 1) {
      for (const { note } of this.#block(head, block)) {
        if (note.key !== key || note.revision <= after) continue;
        yield note;
        if (--left === 0) return;
      }
    }
  }

  /** Where the newest changes are at the revision or before, newest first; `folder`: only those of keys in it. */
  async down(revision: bigint, limit: number, folder?: string): Promise<SegmentPlace[]> {
    const heads = this.#heads.filter(({ first }) => first <= revision).reverse();
    return this.#placesIn(heads, limit, folder, (places, left) => places.down(revision, left, folder));
  }

  /** Where the oldest changes are at the revision or after, oldest first. */
  async up(revision: bigint, limit: number, folder?: string): Promise<SegmentPlace[]> {
    const heads = this.#heads.filter(({ last }) => last >= revision);
    return this.#placesIn(heads, limit, folder, (places, left) => places.up(revision, left, folder));
  }

  async #placesIn(
    heads: readonly SegmentHead[],
    limit: number,
    folder: string | undefined,
    read: (places: SegmentPlaces, left: number) => Omit<SegmentPlace, "head">[],
  ): Promise<SegmentPlace[]> {
    const found: SegmentPlace[] = [];
    const slice = new TimeSlice();
    for (const { last } of heads) {
      if (found.length >= limit) break;
      if (slice.isLong) await slice.next();
      // It may have left the history meanwhile.
      const head = this.head(last);
      if (head === undefined) continue;
      if (folder !== undefined && !this.#keysOf(head).mayHaveFolder(folder)) continue;
      for (const place of read(this.#placesOf(head), limit - found.length)) found.push({ head, ...place });
    }
    return found;
  }

  async notesAt(places: readonly SegmentPlace[]): Promise<NoteRecord[]> {
    const slice = new TimeSlice();
    const notes: NoteRecord[] = [];
    for (const { head, block, revision } of places) {
      const note = this.#noteIn(head, block, revision);
      if (note !== undefined) notes.push(note);
      if (slice.isOver) await slice.next();
    }
    return notes;
  }

  /** The newest note at the revision or before; undefined: there is none. */
  upTo(revision: bigint): NoteRecord | undefined {
    for (const head of this.#heads.toReversed()) {
      const [place] = head.first > revision ? [] : this.#placesOf(head).down(revision, 1);
      if (place !== undefined) return this.#noteIn(head, place.block, place.revision);
    }
    return undefined;
  }

  /**
   * What keys under a prefix, or those from `start` on, held at a revision, of those that were changed after it in a segment: by keys, which change made the state, and
   * which replaced it. Those that did not exist are left out.
   */
  async replacedAfter(
    prefix: string,
    start: string | undefined,
    revision: bigint,
  ): Promise<Map<string, { made: bigint; replacedBy: bigint }>> {
    const begins = start !== undefined && start > prefix ? start : prefix;
    const found = new Map<string, { made: bigint; replacedBy: bigint }>();
    const seen = new Set<string>();
    const slice = new TimeSlice();
    for (const { last } of this.#heads) {
      let head = this.head(last);
      if (head === undefined || head.last <= revision) continue;
      let keys = this.#keysOf(head);
      const firstOf = (known: SegmentKeys) => Math.max(0, known.blockOf(begins, 0n));
      for (let block = firstOf(keys); block < keys.blocks; block += 1) {
        const begin = keys.beginOf(block)!;
        if (begin > prefix && !begin.startsWith(prefix)) break;
        for (const { note } of this.#block(head, block)) {
          if (note.revision <= revision || !note.key.startsWith(prefix) || seen.has(note.key)) continue;
          seen.add(note.key);
          if (note.previous !== 0n) found.set(note.key, { made: note.previous, replacedBy: note.revision });
        }
        if (!slice.isLong) continue;
        await slice.next();
        const now = this.head(last);
        if (now === head) continue;
        // It was made again, and its blocks are others; what was seen of it is not looked at twice.
        if (now === undefined) break;
        head = now;
        keys = this.#keysOf(head);
        block = firstOf(keys) - 1;
      }
    }
    return found;
  }

  #noteIn(head: SegmentHead, block: number, revision: bigint): NoteRecord | undefined {
    // After it was made again, its blocks are others.
    if (!this.#heads.includes(head)) return this.has(head.last) ? this.note(revision) : undefined;
    return this.#block(head, block).find(({ note }) => note.revision === revision)?.note;
  }

  #headOf(revision: bigint): SegmentHead | undefined {
    let low = 0;
    let high = this.#heads.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#heads[middle]!.last < revision) low = middle + 1;
      else high = middle;
    }
    const head = this.#heads[low];
    return head !== undefined && head.first <= revision ? head : undefined;
  }

  #keysOf(head: SegmentHead): SegmentKeys {
    const known = this.#keys.get(head.last);
    if (known !== undefined) return known;
    const keys = new SegmentKeys(this.#part(head.last, keysPart), head.first);
    this.#keys.set(head.last, keys);
    return keys;
  }

  #placesOf(head: SegmentHead): SegmentPlaces {
    const known = this.#places.get(head.last);
    if (known !== undefined) return known;
    const places = new SegmentPlaces(this.#part(head.last, placesPart), head.first);
    this.#places.set(head.last, places);
    return places;
  }

  #block(head: SegmentHead, block: number): readonly SegmentChange[] {
    if (block < 0) return [];
    const name = `${head.last}/${block}`;
    const known = this.#blocks.get(name);
    if (known !== undefined) return known;
    const changes = readBlock(this.#part(head.last, firstBlock + block), head);
    this.#blocks.set(name, changes);
    return changes;
  }

  /** Throws KvError("damaged"). */
  #part(last: bigint, part: number): Buffer {
    return unseal(this.#table?.get(partKey(last, part)), last, part);
  }
}

const parentOf = (key: string): string => key.slice(0, key.lastIndexOf("/"));

/** Parts of a segment are neighbours: its last revision, and the number of the part. */
function partKey(last: bigint, part: number): Buffer {
  const out = Buffer.allocUnsafe(12);
  encodeRevision(last).copy(out);
  out.writeUInt32BE(part, 8);
  return out;
}
