/** The history of an embedded store: which notes are kept, how far back, and what goes with them. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import {
  type KvEntry,
  KvError,
  type KvHistory,
  type KvHistoryBounds,
  type KvHistoryRewrite,
  type KvNoted,
  type KvNotedQuery,
  type KvShorterAge,
} from "../contract.ts";
import type { WriteDecision } from "./decide.ts";
import type { Disk, NotedCommit, SweptVersion } from "./disk.ts";
import type { MovedState } from "./former-states.ts";
import { NotedReader, type Readable } from "./noted-reader.ts";
import { readEntry, toEntry } from "./read.ts";
import type { FormerRecord, NotedState, NoteRecord } from "./records.ts";
import { type CountedUpTo, type Packable, SegmentMaker } from "./segment-maker.ts";
import { hiddenVersions } from "./sweep.ts";

/** What a note and its entry in the index take besides their contents, in the layouts of records.ts. */
const overheadBytes = 100;
/** The floor moves by at least this share of the bound, and so not with every write. */
const slack = 0.95;
interface NotedOptions {
  readonly disk: Disk;
  readonly bounds: KvHistoryBounds;
  /** The newest revision of the store. */
  readonly revision: bigint;
  readonly clock: Clock;
  readonly log: Log;
  /** Commits what is ready. Ends when it is committed, or cannot be. */
  readonly flush: () => Promise<void>;
}

export class NotedHistory implements KvHistory {
  readonly #disk: Disk;
  readonly #bounds: KvHistoryBounds;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #maker: SegmentMaker;
  readonly #reader: NotedReader;
  /** As it will be with the next commit. */
  #next: NotedState;
  /** As committed. */
  #state: NotedState;
  /** What moves with the next commit. */
  #moving: readonly FormerRecord[] = [];
  /** Former states up to this revision are in segments and no longer read from the log. */
  #settled = 0n;
  #shorter: readonly KvShorterAge[] = [];
  /** Segments that do not belong to this history. */
  #strays: bigint[];

  constructor({ disk, bounds, revision, clock, log, flush }: NotedOptions) {
    this.#disk = disk;
    this.#bounds = bounds;
    this.#clock = clock;
    this.#log = log;
    this.#maker = new SegmentMaker(disk, { of: this.#packable(), log, flush });
    this.#reader = new NotedReader(disk, this.#readable(), log);
    const found = disk.notes.state();
    // After writes by a program that keeps no history the notes do not tell everything: it begins again.
    const isWhole = found?.revision === revision && this.keeps;
    this.#state = isWhole
      ? found
      : { ...(found ?? nothing), ...floor(revision, Math.max(clock.now(), found?.atMs ?? 0)) };
    if (!isWhole) {
      const { totalBytes, movedBytes } = this.#state;
      this.#state = { ...this.#state, revision, oldestBytes: totalBytes, oldestMovedBytes: movedBytes };
    }
    this.#strays = this.#loadSegments();
    this.#next = this.#state;
    // The process before may have been killed after a commit, or had another bound.
    this.#keepBounded();
  }

  #packable(): Packable {
    const history = this;
    return {
      get revision() {
        return history.#state.revision;
      },
      get settled() {
        return history.#settled;
      },
      get oldest() {
        return history.#next.oldest;
      },
      get isBlocked() {
        // Segments that are strays would be taken for its own after another start.
        return !history.keeps || history.#strays.length > 0;
      },
      get unpackedFrom() {
        return history.#unpackedFrom;
      },
      get unpackedBytes() {
        return history.#unpackedBytes;
      },
      bytesMax: history.#bounds.bytesMax,
      movedUpTo: (upTo) => history.#movedUpTo(upTo),
      last: (holds) => history.#last(holds),
    };
  }

  #readable(): Readable {
    const history = this;
    return {
      get revision() {
        return history.#state.revision;
      },
      get oldest() {
        return history.#next.oldest;
      },
      get unpackedFrom() {
        return history.#unpackedFrom;
      },
    };
  }

  #loadSegments(): bigint[] {
    try {
      return this.#disk.segments.load(this.#state.packed);
    } catch (error) {
      if (!(error instanceof KvError)) throw error;
      const { revision, atMs, totalBytes: oldestBytes, movedBytes: oldestMovedBytes } = this.#state;
      this.#log.error("a segment of the history is damaged; the history begins again", { error: error.message });
      this.#state = { ...this.#state, ...floor(revision, atMs), oldestBytes, oldestMovedBytes, packed: 0n };
      return this.#disk.segments.load(0n);
    }
  }

  /** False: nothing is kept, and what an earlier process kept is removed. */
  get keeps(): boolean {
    return this.#bounds.ageMs > 0 && this.#bounds.bytesMax > 0;
  }

  get oldest(): { readonly revision: bigint; readonly atMs: number } {
    return { revision: this.#next.oldest, atMs: this.#next.oldestAtMs };
  }

  get bytes(): number {
    return this.#disk.segments.bytesAfter(this.#next.oldest) + this.#unpackedBytes;
  }

  /** Of notes and states that are not in segments. */
  get #unpackedBytes(): number {
    const { totalBytes, movedBytes } = this.#unpackedFrom;
    return this.#bytesAfter(totalBytes, movedBytes);
  }

  /** What had been counted where the segments end, or the history begins. */
  get #unpackedFrom(): CountedUpTo {
    const newest = this.#disk.segments.heads.at(-1);
    const { oldest: revision, oldestBytes: totalBytes, oldestMovedBytes: movedBytes } = this.#next;
    return newest !== undefined && newest.last > revision
      ? { revision: newest.last, totalBytes: newest.totalBytes, movedBytes: newest.movedBytes }
      : { revision, totalBytes, movedBytes };
  }

  /** Bytes that the next commit has beside its writes. */
  get readyBytes(): number {
    return this.#maker.ready?.head.bytes ?? 0;
  }

  /** What the notes and states take after a point. */
  #bytesAfter(totalBytes: number, movedBytes: number): number {
    return this.#next.totalBytes - totalBytes + (this.#next.movedBytes - movedBytes);
  }

  /** What the states had taken that had moved up to a change. */
  #movedUpTo(revision: bigint): number {
    const packed = this.#disk.segments.heads.findLast(({ last }) => last <= revision)?.movedBytes ?? 0;
    const moving = this.#moving.findLast(({ replacedBy }) => replacedBy <= revision)?.movedBytes ?? 0;
    return Math.max(this.#next.oldestMovedBytes, packed, this.#disk.former.movedUpTo(revision) ?? 0, moving);
  }

  /** Whether notes remain that are in a segment or that no reader can see, or a segment is to be written or removed. */
  hasRest(end: bigint): boolean {
    if (this.#maker.ready !== undefined || this.#droppable(end) !== undefined) return true;
    return this.#state.swept < smaller(this.#unpackedFrom.revision, end);
  }

  /** A segment that no reader can see. */
  #droppable(end: bigint): bigint | undefined {
    const [stray] = this.#strays;
    const oldest = this.#disk.segments.heads[0]?.last;
    return stray ?? (oldest !== undefined && oldest <= smaller(this.#next.oldest, end) ? oldest : undefined);
  }

  /** Whether the index knows all that was there at a revision that is kept. */
  isIndexed(revision: bigint): boolean {
    return revision >= this.#state.swept;
  }

  /** The part of the next commit: the notes of its writes, what moves to the former states, and what goes. */
  plan(decided: WriteDecision, { end, max, moved }: Sweeping): NotedPlan {
    const notes: NoteRecord[] = [];
    let { totalBytes, atMs } = this.#next;
    if (this.keeps && decided.notes.length > 0) atMs = Math.max(atMs, this.#clock.now());
    for (const { record, note } of this.keeps ? decided.notes : []) {
      const { key, revision, value, previous } = record;
      // The state itself counts from when it moves: until then watches need it, with or without a history.
      totalBytes += overheadBytes + key.length * 3 + note.byteLength;
      notes.push({ key, revision, previous, deleted: value === undefined, atMs, note, totalBytes });
    }
    let { movedBytes } = this.#next;
    const former: FormerRecord[] = [];
    for (const { key: _key, takes, reads: _reads, ...state } of moved) {
      movedBytes += takes;
      former.push({ ...state, movedBytes });
    }
    this.#next = { ...this.#next, totalBytes, movedBytes, atMs };
    this.#moving = former;
    this.#keepBounded();
    this.#settled = end;
    const { swept, versions, through } = this.#planSweep(smaller(this.#unpackedFrom.revision, end), max);
    const segment = this.#maker.take();
    const dropped = this.#droppable(end);
    // It may be one that was made again.
    const packed =
      segment !== undefined && segment.head.last > this.#next.packed ? segment.head.last : this.#next.packed;
    this.#next = { ...this.#next, revision: decided.revision, swept: through, packed };
    const isMoved = this.#next.swept !== this.#state.swept || this.#next.oldest !== this.#state.oldest;
    const isChange = isMoved || segment !== undefined || dropped !== undefined;
    return { versions, isChange, commit: { notes, swept, moved: former, segment, dropped, state: this.#next } };
  }

  /** The commit is on disk. */
  committed({ notes, segment, dropped, state }: NotedCommit): void {
    this.#state = state;
    this.#moving = [];
    if (segment !== undefined) {
      this.#disk.segments.added(segment.head);
      this.#reader.forget(segment.head.last);
      this.#maker.placed();
    }
    if (dropped !== undefined) {
      this.#strays = this.#strays.filter((last) => last !== dropped);
      this.#disk.segments.removed(dropped);
    }
    this.#reader.committed(notes);
    this.#keepBounded(); // one batch may be larger than the bound
    this.#maker.look();
  }

  /** Everything up to the revision has been compacted. See `Kv.rewriteHistory`. */
  rewrite(rewrite: KvHistoryRewrite, settled: bigint): Promise<{ readonly states: number; readonly failed: number }> {
    this.#settled = settled;
    return this.#maker.rewrite(rewrite);
  }

  /** Nothing is read any more after it. */
  async stop(): Promise<void> {
    const ended = this.#reader.stop();
    await this.#maker.stop();
    await ended;
  }

  /** Called from time to time, even when nothing is written. `isTight`: the disk is nearly full, and half of what is kept goes. */
  expire(isTight: boolean): void {
    this.#disk.segments.release();
    this.#maker.trim(this.#shorter, this.#clock.now());
    if (this.keeps) this.#reader.prepare();
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

  shorten(ages: readonly KvShorterAge[]): void {
    this.#shorter = ages;
  }

  /** It begins again with the next commit's state. */
  forget(): void {
    this.#moveTo(floor(this.#next.revision, Math.max(this.#next.atMs, this.#clock.now())), this.#next.totalBytes);
  }

  changes(query: KvNotedQuery): AsyncIterable<readonly KvNoted[]> {
    return this.#reader.changes(query);
  }

  change(revision: bigint): KvNoted | undefined {
    return revision > this.#next.oldest && revision <= this.#state.revision ? this.#reader.noteOf(revision) : undefined;
  }

  valueAt(key: string, revision: bigint): KvEntry | undefined {
    const { segments } = this.#disk;
    if (this.isIndexed(revision) || this.#disk.versionAt(key, revision) !== undefined)
      return readEntry(this.#disk, key, revision);
    const next = segments.nextOf(key, revision);
    return next && this.stateBefore(next);
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
      const { heads } = this.#disk.segments;
      for (const { last, lastAtMs, totalBytes } of heads) {
        if (last > this.#next.oldest) this.#moveTo(floor(last, lastAtMs), totalBytes);
        if (this.bytes <= bytes) return;
      }
      const tooMuch = this.#last(
        ({ totalBytes, revision }) => this.#bytesAfter(totalBytes, this.#movedUpTo(revision)) > bytes,
      );
      const found = this.#disk.notes.from((tooMuch?.revision ?? this.#next.oldest) + 1n);
      // The next commit may be too much alone.
      const { revision, atMs, totalBytes } = found ?? this.#state;
      this.#moveTo(floor(revision, atMs), totalBytes);
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
    this.#next = { ...this.#next, ...moved, oldestBytes, oldestMovedBytes: this.#movedUpTo(moved.oldest) };
    this.#reader.forget(moved.oldest);
  }

  /** The newest committed note of those that are kept for which it holds; it holds for all before that one. */
  #last(holds: (note: NoteRecord) => boolean): NoteRecord | undefined {
    let low = this.#next.oldest;
    let high = this.#state.revision;
    let best: NoteRecord | undefined;
    while (low < high) {
      const middle = (low + high + 1n) / 2n;
      const note = this.#noteUpTo(middle);
      if (note === undefined || note.revision <= low) low = middle;
      else if (holds(note)) [best, low] = [note, middle];
      else high = note.revision - 1n;
    }
    return best;
  }

  #noteUpTo(revision: bigint): NoteRecord | undefined {
    const { segments, notes } = this.#disk;
    const { through } = segments;
    const found = revision > through ? notes.upTo(revision) : undefined;
    return found !== undefined && found.revision > through ? found : segments.upTo(smaller(revision, through));
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
  movedBytes: 0,
  oldestMovedBytes: 0,
  atMs: 0,
  packed: 0n,
};

const floor = (oldest: bigint, oldestAtMs: number): Pick<NotedState, "oldest" | "oldestAtMs"> => ({
  oldest,
  oldestAtMs,
});

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
