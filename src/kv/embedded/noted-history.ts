/** The history of an embedded store: which notes are kept, how far back, and what goes with them. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import {
  type KvEntry,
  KvError,
  type KvHistory,
  type KvHistoryBounds,
  type KvNoted,
  type KvNotedQuery,
} from "../contract.ts";
import type { WriteDecision } from "./decide.ts";
import type { Disk, NotedCommit, SweptVersion } from "./disk.ts";
import type { MovedState } from "./former-states.ts";
import { NotedIndex } from "./noted-index.ts";
import { readEntry, toEntry } from "./read.ts";
import type { FormerRecord, NotedState, NoteRecord } from "./records.ts";
import { hiddenVersions } from "./sweep.ts";

/** What a note and its version take besides their contents, in the layouts of records.ts. */
const overheadBytes = 100;
/** The floor moves by at least this share of the bound, and so not with every write. */
const slack = 0.95;
/** How many notes are read between two time slices, and at first: whoever asks for few needs no more. */
const pageNotes = 1_000;
const firstPageNotes = 100;

interface NotedOptions {
  readonly disk: Disk;
  readonly bounds: KvHistoryBounds;
  /** The newest revision of the store. */
  readonly revision: bigint;
  readonly clock: Clock;
  readonly log: Log;
}

export class NotedHistory implements KvHistory {
  readonly #disk: Disk;
  readonly #bounds: KvHistoryBounds;
  readonly #clock: Clock;
  readonly #log: Log;
  /** As it will be with the next commit. */
  #next: NotedState;
  /** As committed. */
  #state: NotedState;
  /** Undefined: nobody has asked for the changes of a folder. */
  #index: NotedIndex | undefined;
  #indexing: Promise<NotedIndex> | undefined;
  /** What has been committed while the index is being made. */
  #unindexed: Pick<KvNoted, "key" | "revision">[] = [];

  constructor({ disk, bounds, revision, clock, log }: NotedOptions) {
    this.#disk = disk;
    this.#bounds = bounds;
    this.#clock = clock;
    this.#log = log;
    const found = disk.notes.state();
    // After writes by a program that keeps no history the notes do not tell everything: it begins again.
    const isWhole = found?.revision === revision && this.keeps;
    this.#state = isWhole
      ? found
      : { ...(found ?? nothing), ...floor(revision, Math.max(clock.now(), found?.atMs ?? 0)) };
    if (!isWhole) {
      const { totalBytes, savedBytes } = this.#state;
      this.#state = { ...this.#state, revision, oldestBytes: totalBytes, oldestSavedBytes: savedBytes };
    }
    this.#next = this.#state;
    // The process before may have been killed after a commit, or had another bound.
    this.#keepBounded();
  }

  /** False: nothing is kept, and what an earlier process kept is removed. */
  get keeps(): boolean {
    return this.#bounds.ageMs > 0 && this.#bounds.bytesMax > 0;
  }

  get oldest(): { readonly revision: bigint; readonly atMs: number } {
    return { revision: this.#next.oldest, atMs: this.#next.oldestAtMs };
  }

  get bytes(): number {
    return this.#bytesAfter(this.#next.oldestBytes, this.#next.oldestSavedBytes);
  }

  /** What the notes and states take after a point; what is being saved does not count before it is on disk. */
  #bytesAfter(totalBytes: number, savedBytes: number): number {
    return this.#next.totalBytes - totalBytes - (this.#state.savedBytes - savedBytes);
  }

  /** What differences had saved up to a change. */
  #savedUpTo(revision: bigint): number {
    return Math.max(this.#next.oldestSavedBytes, this.#disk.former.savedUpTo(revision) ?? 0);
  }

  /** Whether notes remain that no reader can see. */
  hasRest(end: bigint): boolean {
    return this.#state.swept < smaller(this.#next.oldest, end);
  }

  /** The part of the next commit: the notes of its writes, what moves to the former states, and what goes. */
  plan(decided: WriteDecision, { end, max, moved }: Sweeping): NotedPlan {
    const notes: NoteRecord[] = [];
    let { totalBytes, atMs } = this.#next;
    if (this.keeps && decided.notes.length > 0) atMs = Math.max(atMs, this.#clock.now());
    for (const { record, note } of this.keeps ? decided.notes : []) {
      const { key, revision, value, previous } = record;
      totalBytes += overheadBytes + key.length * 3 + (value?.byteLength ?? 0) + note.byteLength;
      notes.push({ key, revision, previous, deleted: value === undefined, atMs, note, totalBytes });
    }
    let { savedBytes } = this.#next;
    const former: FormerRecord[] = [];
    for (const { key: _key, saves, ...state } of moved) {
      savedBytes += saves;
      former.push({ ...state, savedBytes });
    }
    this.#next = { ...this.#next, totalBytes, savedBytes, atMs };
    this.#keepBounded();
    const { swept, versions, through } = this.#planSweep(smaller(this.#next.oldest, end), max);
    this.#next = { ...this.#next, revision: decided.revision, swept: through };
    const isChange = this.#next.swept !== this.#state.swept || this.#next.oldest !== this.#state.oldest;
    return { versions, isChange, commit: { notes, swept, moved: former, state: this.#next } };
  }

  /** The commit is on disk. */
  committed({ notes, moved, state }: NotedCommit): void {
    this.#state = state;
    // The history may have lost its beginning meanwhile, and with it some of what moved.
    if (moved.length > 0 && moved[0]!.replacedBy <= this.#next.oldest)
      this.#next = { ...this.#next, oldestSavedBytes: this.#savedUpTo(this.#next.oldest) };
    if (this.#index !== undefined) for (const { key, revision } of notes) this.#index.add(key, revision);
    else if (this.#indexing !== undefined) this.#unindexed.push(...notes);
    this.#keepBounded(); // one batch may be larger than the bound
  }

  /** Called from time to time, even when nothing is written. `isTight`: the disk is nearly full, and half of what is kept goes. */
  expire(isTight: boolean): void {
    if (!this.keeps) {
      this.#moveTo(floor(this.#next.revision, this.#next.atMs), this.#next.totalBytes);
      return;
    }
    if (isTight) this.#dropTo(Math.floor(this.bytes / 2));
    const until = this.#clock.now() - this.#bounds.ageMs;
    if (this.#next.oldestAtMs >= until) return;
    this.#guarded(() => {
      const found = this.#last((note) => note.atMs <= until);
      if (found !== undefined) this.#moveTo(floor(found.revision, found.atMs), found.totalBytes);
    });
  }

  /** It begins again with the next commit's state. */
  forget(): void {
    this.#moveTo(floor(this.#next.revision, Math.max(this.#next.atMs, this.#clock.now())), this.#next.totalBytes);
  }

  async *changes(query: KvNotedQuery): AsyncIterable<readonly KvNoted[]> {
    const { key, folder, upward } = query;
    if (key !== undefined) {
      yield* this.#changesOf(key, query);
      return;
    }
    const index = folder === undefined ? undefined : await this.#indexed();
    yield* upward
      ? this.#upward(query, (from, limit) =>
          index === undefined
            ? this.#disk.notes.upFrom(from + 1n, limit)
            : this.#notesAt(index.up(folder!, from, limit)),
        )
      : this.#downward(query, (end, limit) =>
          index === undefined
            ? this.#disk.notes.downFrom(end - 1n, limit)
            : this.#notesAt(index.down(folder!, end, limit)),
        );
  }

  async *#downward(
    { before, after = 0n, sinceMs = 0 }: KvNotedQuery,
    read: (end: bigint, limit: number) => KvNoted[],
  ): AsyncIterable<readonly KvNoted[]> {
    let end = before ?? this.#state.revision + 1n;
    for (let limit = firstPageNotes; end > this.#next.oldest; limit = Math.min(limit * 2, pageNotes)) {
      const page = read(end, limit);
      const floor = after > this.#next.oldest ? after : this.#next.oldest;
      const kept = page.filter(({ revision, atMs }) => revision > floor && atMs >= sinceMs);
      if (kept.length > 0) yield kept;
      if (kept.length < page.length || page.length < limit) return;
      end = page.at(-1)!.revision;
      await nextTimeSlice();
    }
  }

  async *#upward(
    { before, after = 0n, sinceMs = 0 }: KvNotedQuery,
    read: (from: bigint, limit: number) => KvNoted[],
  ): AsyncIterable<readonly KvNoted[]> {
    let from = after;
    for (let limit = firstPageNotes; ; limit = Math.min(limit * 2, pageNotes)) {
      const page = read(from > this.#next.oldest ? from : this.#next.oldest, limit);
      const wanted = page.filter(({ revision }) => before === undefined || revision < before);
      const kept = wanted.filter(({ revision, atMs }) => revision > this.#next.oldest && atMs >= sinceMs);
      if (kept.length > 0) yield kept;
      if (wanted.length < page.length || page.length < limit) return;
      from = page.at(-1)!.revision;
      await nextTimeSlice();
    }
  }

  #notesAt(revisions: readonly bigint[]): KvNoted[] {
    // None is missing before it is forgotten; one that has just been removed ends the list, as all before it have been.
    return revisions.flatMap((revision) => this.#disk.notes.get(revision) ?? []);
  }

  /** Costs a walk over all notes, once. */
  #indexed(): Promise<NotedIndex> {
    this.#indexing ??= this.#makeIndex().catch((error: unknown) => {
      this.#indexing = undefined;
      throw error;
    });
    return this.#indexing;
  }

  async #makeIndex(): Promise<NotedIndex> {
    const index = new NotedIndex();
    for (let from = this.#next.oldest + 1n; ; await nextTimeSlice()) {
      const page = this.#disk.notes.keysUp(from, pageNotes);
      for (const { key, revision } of page) {
        if (key === undefined) this.#log.error("a note of the history is damaged", { revision: String(revision) });
        else index.add(key, revision);
      }
      if (page.length < pageNotes) break;
      from = page.at(-1)!.revision + 1n;
    }
    // What was committed meanwhile: it may have been read already.
    for (const { key, revision } of this.#unindexed) index.add(key, revision);
    this.#unindexed = [];
    this.#index = index;
    return index;
  }

  /** In pages: most callers want few, and an object may have thousands. */
  async *#changesOf(
    key: string,
    { before, after = 0n, sinceMs = 0, upward }: KvNotedQuery,
  ): AsyncGenerator<readonly KvNoted[]> {
    const versions = this.#disk.versionsUpTo(key, before === undefined ? this.#state.revision : before - 1n);
    if (upward) versions.reverse();
    for (let at = 0; at < versions.length; at += firstPageNotes) {
      if (at > 0) await nextTimeSlice();
      const floor = after > this.#next.oldest ? after : this.#next.oldest;
      const wanted = versions.slice(at, at + firstPageNotes).filter(({ revision }) => revision > floor);
      const page = this.#notesAt(wanted.map(({ revision }) => revision)).filter(({ atMs }) => atMs >= sinceMs);
      if (page.length > 0) yield page;
      else if (!upward) return;
    }
  }

  change(revision: bigint): KvNoted | undefined {
    return revision > this.#next.oldest && revision <= this.#state.revision
      ? this.#disk.notes.get(revision)
      : undefined;
  }

  valueAt(key: string, revision: bigint): KvEntry | undefined {
    return readEntry(this.#disk, key, revision);
  }

  stateBefore({ key, revision, previous }: KvNoted): KvEntry | undefined {
    return previous === 0n ? undefined : toEntry(this.#disk.recordOf(key, previous, revision));
  }

  stateAfter({ key, revision, deleted }: KvNoted): KvEntry | undefined {
    return deleted ? undefined : toEntry(this.#disk.recordOf(key, revision));
  }

  revisionAt(atMs: number): bigint {
    return this.#last((note) => note.atMs <= atMs)?.revision ?? this.#next.oldest;
  }

  #keepBounded(): void {
    if (this.keeps && this.bytes > this.#bounds.bytesMax) this.#dropTo(this.#bounds.bytesMax * slack);
  }

  #dropTo(bytes: number): void {
    this.#guarded(() => {
      const tooMuch = this.#last(
        ({ totalBytes, revision }) => this.#bytesAfter(totalBytes, this.#savedUpTo(revision)) > bytes,
      );
      const found = this.#disk.notes.from((tooMuch?.revision ?? this.#next.oldest) + 1n);
      if (found !== undefined) this.#moveTo(floor(found.revision, found.atMs), found.totalBytes);
    });
  }

  /** A note that cannot be read must not keep others from being removed. */
  #guarded(search: () => void): void {
    try {
      search();
    } catch (error) {
      if (!(error instanceof KvError)) throw error;
      this.#log.error("a note of the history is damaged; the history begins again", { error: error.message });
      this.#moveTo(floor(this.#state.revision, this.#state.atMs), this.#state.totalBytes);
    }
  }

  #moveTo(moved: Pick<NotedState, "oldest" | "oldestAtMs">, oldestBytes: number): void {
    this.#next = { ...this.#next, ...moved, oldestBytes, oldestSavedBytes: this.#savedUpTo(moved.oldest) };
    this.#index?.forget(moved.oldest);
  }

  /** The newest committed note of those that are kept for which it holds; it holds for all before that one. */
  #last(holds: (note: NoteRecord) => boolean): NoteRecord | undefined {
    let low = this.#next.oldest;
    let high = this.#state.revision;
    let best: NoteRecord | undefined;
    while (low < high) {
      const middle = (low + high + 1n) / 2n;
      const note = this.#disk.notes.upTo(middle);
      if (note === undefined || note.revision <= low) low = middle;
      else if (holds(note)) [best, low] = [note, middle];
      else high = note.revision - 1n;
    }
    return best;
  }

  #planSweep(end: bigint, max: number): { swept: bigint[]; versions: SweptVersion[]; through: bigint } {
    if (this.#next.swept >= end) return { swept: [], versions: [], through: this.#next.swept };
    const swept = this.#disk.notes.oldest(end, max);
    const versions: SweptVersion[] = [];
    for (const revision of swept) {
      try {
        const note = this.#disk.notes.get(revision);
        if (note !== undefined) versions.push(...hiddenVersions(this.#disk, note));
      } catch (error) {
        if (!(error instanceof KvError)) throw error;
        this.#log.error("a history record is damaged and was not removed", {
          revision: String(revision),
          error: error.message,
        });
      }
    }
    return { swept, versions, through: swept.length < max ? end : swept.at(-1)! };
  }
}

interface Sweeping {
  /** Up to where compaction has swept. */
  readonly end: bigint;
  readonly max: number;
  readonly moved: readonly MovedState[];
}

interface NotedPlan {
  readonly versions: readonly SweptVersion[];
  /** Whether it is worth a commit without any write. */
  readonly isChange: boolean;
  readonly commit: NotedCommit;
}

const nothing: NotedState = {
  revision: 0n,
  oldest: 0n,
  oldestAtMs: 0,
  swept: 0n,
  totalBytes: 0,
  oldestBytes: 0,
  savedBytes: 0,
  oldestSavedBytes: 0,
  atMs: 0,
};

const floor = (oldest: bigint, oldestAtMs: number): Pick<NotedState, "oldest" | "oldestAtMs"> => ({
  oldest,
  oldestAtMs,
});

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
