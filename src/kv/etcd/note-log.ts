/** The notes of a history in memory, oldest first: what etcd's watch of the history key has told. */

import type { KvHistoryBounds, KvNoted, KvNotedQuery } from "../contract.ts";
import { folderOf } from "../folder-of.ts";

/** More changes are not kept, whatever the bounds allow: each takes some 600 bytes of memory. */
export const notedChangesMax = 250_000;
/** The floor moves by at least this share of a bound, and so not with every write. */
const slack = 0.95;
const pageNotes = 1_000;

/** A note, with how many bytes its write counts for. */
export interface LoggedNote extends KvNoted {
  readonly bytes: number;
}

interface Kept extends LoggedNote {
  /** Of all notes up to this one. */
  readonly totalBytes: number;
}

export class NoteLog {
  readonly #bounds: KvHistoryBounds;
  /** From #head on; those before it are no longer kept. */
  #notes: (Kept | undefined)[] = [];
  #head = 0;
  #floor: { readonly revision: bigint; readonly atMs: number; readonly totalBytes: number };

  constructor(bounds: KvHistoryBounds, begin: { readonly revision: bigint; readonly atMs: number }) {
    this.#bounds = bounds;
    this.#floor = { ...begin, totalBytes: 0 };
  }

  get oldest(): { readonly revision: bigint; readonly atMs: number } {
    return this.#floor;
  }

  get bytes(): number {
    return this.#totalBytes - this.#floor.totalBytes;
  }

  get #totalBytes(): number {
    return this.#at(this.#notes.length - 1)?.totalBytes ?? this.#floor.totalBytes;
  }

  /** All notes of one revision. Times never go back, whichever server's clock they are of. */
  append(notes: readonly LoggedNote[]): void {
    for (const note of notes) {
      if (note.revision <= this.#floor.revision) continue; // it was forgotten before it came
      const last = this.#at(this.#notes.length - 1);
      const atMs = Math.max(note.atMs, last?.atMs ?? this.#floor.atMs);
      this.#notes.push({ ...note, atMs, totalBytes: this.#totalBytes + note.bytes });
    }
    if (this.bytes > this.#bounds.bytesMax) this.#dropTo(this.#bounds.bytesMax * slack);
    const tooMany = this.#notes.length - this.#head - notedChangesMax;
    if (tooMany > 0) this.forget(this.#at(this.#head + tooMany + Math.floor(notedChangesMax * (1 - slack)))!.revision);
  }

  /** Drops what is older than the bound. */
  expire(nowMs: number): void {
    const until = nowMs - this.#bounds.ageMs;
    const end = this.#firstIndex((note) => note.atMs > until);
    if (end > this.#head) this.forget(this.#at(end - 1)!.revision);
  }

  #dropTo(bytes: number): void {
    const total = this.#totalBytes;
    const end = this.#firstIndex((note) => total - note.totalBytes <= bytes);
    this.forget(this.#at(end)?.revision ?? this.#floor.revision);
  }

  /** What is up to the revision is no longer kept; all of its notes go. `atMs`: since when its state was current, if no note says it. */
  forget(revision: bigint, atMs = this.#floor.atMs): void {
    if (revision <= this.#floor.revision) return;
    const end = this.#firstIndex((note) => note.revision > revision);
    const last = end > this.#head ? this.#at(end - 1) : undefined;
    const { totalBytes } = last ?? this.#floor;
    this.#floor = { revision, atMs: Math.max(this.#floor.atMs, last?.atMs ?? atMs), totalBytes };
    this.#notes.fill(undefined, this.#head, end);
    this.#head = end;
    if (this.#head > 1_000 && this.#head * 2 > this.#notes.length) {
      this.#notes = this.#notes.slice(this.#head);
      this.#head = 0;
    }
  }

  /** One page of what a query asks for, beyond `begin`; never a part of a revision. `next` absent: nothing follows. */
  page(query: KvNotedQuery, begin: bigint | undefined): { readonly found: KvNoted[]; readonly next?: bigint } {
    return query.upward ? this.#pageUp(query, begin) : this.#pageDown(query, begin);
  }

  #pageUp({ before, after = 0n, ...query }: KvNotedQuery, begin = after): ReturnType<NoteLog["page"]> {
    const found: KvNoted[] = [];
    let looked = 0;
    let last = begin;
    for (let at = this.#firstIndex((note) => note.revision > begin); at < this.#notes.length; at += 1) {
      const note = this.#at(at)!;
      if (before !== undefined && note.revision >= before) return { found };
      if (looked >= pageNotes && note.revision !== last) return { found, next: last };
      if (isWanted(note, query)) found.push(note);
      looked += 1;
      last = note.revision;
    }
    return { found };
  }

  #pageDown({ before, after = 0n, ...query }: KvNotedQuery, begin = before): ReturnType<NoteLog["page"]> {
    const found: KvNoted[] = [];
    let looked = 0;
    let last = begin;
    const end = begin === undefined ? this.#notes.length : this.#firstIndex((note) => note.revision >= begin);
    for (let at = end - 1; at >= this.#head; at -= 1) {
      const note = this.#at(at)!;
      if (note.revision <= after) return { found };
      if (looked >= pageNotes && note.revision !== last) return { found, next: last! };
      if (isWanted(note, query)) found.push(note);
      looked += 1;
      last = note.revision;
    }
    return { found };
  }

  /** The first change of that revision. */
  change(revision: bigint): KvNoted | undefined {
    const found = this.#at(this.#firstIndex((note) => note.revision >= revision));
    return found?.revision === revision ? found : undefined;
  }

  revisionAt(atMs: number): bigint {
    const end = this.#firstIndex((note) => note.atMs > atMs);
    return end > this.#head ? this.#at(end - 1)!.revision : this.#floor.revision;
  }

  #at(index: number): Kept | undefined {
    return index < this.#head ? undefined : this.#notes[index];
  }

  /** Where the first note is for which it holds; it holds for all that follow. */
  #firstIndex(holds: (note: Kept) => boolean): number {
    let low = this.#head;
    let high = this.#notes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.#notes[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const isWanted = (note: KvNoted, { key, folder, sinceMs = 0 }: KvNotedQuery): boolean =>
  note.atMs >= sinceMs &&
  (key === undefined ? folder === undefined || folderOf(note.key) === folder : note.key === key);
