/** The store on this machine's disk: one process, durable, many writers per flush. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import { type Log, silentLog } from "../../base/log.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import {
  type Kv,
  type KvChange,
  KvClosed,
  type KvCondition,
  type KvEntry,
  KvError,
  type KvEvents,
  type KvHistory,
  type KvHistoryBounds,
  type KvHistoryRewrite,
  type KvPin,
  type KvRange,
  type KvSize,
  type KvWatchOptions,
  type KvWrite,
  OutcomeUnknown,
  type RangeOptions,
  RevisionCompacted,
  RevisionUnknown,
} from "../contract.ts";
import { Feed } from "../feed.ts";
import { checkKey, checkPrefix, checkValue, checkWrites } from "../limits.ts";
import { growthOf, sweepStepMax, takeBatch } from "./batch.ts";
import { Compactions } from "./compactions.ts";
import { crashPoint } from "./crash-point.ts";
import { dataFile, type ReservedSpace } from "./data-file.ts";
import { answerWriters, type Decided, decide, type QueuedCommit } from "./decide.ts";
import type { Disk } from "./disk.ts";
import type { EmbeddedKvOptions } from "./embedded.ts";
import { freeBytesOf } from "./folder.ts";
import type { MovedState } from "./former-states.ts";
import { LatestWrites } from "./latest-writes.ts";
import { NotedHistory } from "./noted-history.ts";
import { Pins } from "./pins.ts";
import { readChanges, readEntry, readKeyState, readRange } from "./read.ts";
import type { StoreState } from "./records.ts";
import { Retention } from "./retention.ts";
import { Space } from "./space.ts";
import { planSweep, type Sweep } from "./sweep.ts";

/**
 * How much of the newest history stays in memory for watchers that are nearly up to date. Values that stay for longer than it takes
 * to fill the space for young objects are released by a full collection only.
 */
const recentChangesMax = 4_096;
const recentBytesMax = 128 * 1024;
/** How many bytes a watcher that is further behind reads from the disk at once. */
const readBytesMax = 4 * 1024 * 1024;

/** How often it is looked whether the last reader of older states has ended. */
const readersWaitMs = 100;

const nothingKept: KvHistoryBounds = { ageMs: 0, bytesMax: 0 };
const allKept: KvHistoryBounds = { ageMs: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };

/** The parts that opening a store has assembled. */
interface Opened {
  readonly disk: Disk;
  readonly state: StoreState;
  readonly room: ReservedSpace;
  unlock(): void;
}

type Condition =
  | { readonly is: "open" }
  /** A commit failed: what the disk holds is not known, so nothing is acknowledged any more. Reads still work. */
  | { readonly is: "failed"; readonly error: Error }
  | { readonly is: "closed" };

export class EmbeddedKv implements Kv {
  readonly #disk: Disk;
  readonly #room: ReservedSpace;
  readonly #unlock: () => void;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #feed: Feed;
  readonly #retention: Retention;
  readonly #space: Space;
  /** Undefined: no history is to be kept, and none is left from before. */
  #noted: NotedHistory | undefined;
  #condition: Condition = { is: "open" };
  /** As committed. */
  #state: StoreState;
  /** Where history is to begin; ahead of the committed state until the next flush. */
  #compactedRevision: bigint;
  #queue: QueuedCommit[] = [];
  readonly #latest = new LatestWrites();
  readonly #compactions = new Compactions();
  #flushing: Promise<void> | undefined;
  /** Revisions at which ranges are being read: what they show is not swept yet. */
  readonly #pins = new Pins();
  /** Revisions that callers of `pin` keep readable; closing does not wait for those. */
  readonly #kept = new Pins();
  #cancelTick: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor({ disk, state, room, unlock }: Opened, options: EmbeddedKvOptions) {
    this.#disk = disk;
    this.#room = room;
    this.#state = state;
    this.#compactedRevision = state.compacted;
    this.#unlock = unlock;
    this.#folder = options.folder;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLog;
    this.#space = new Space({
      room,
      log: this.#log,
      folder: options.folder,
      freeBytes: options.freeBytes ?? freeBytesOf,
    });
    this.#retention = new Retention(options, this.#clock.monotonic(), state.revision);
    const bounds = options.noted === "all" ? allKept : options.noted;
    const begins = bounds !== allKept && bounds !== undefined && bounds.bytesMax > 0;
    if (bounds !== undefined && (begins || disk.notes.state() !== undefined)) this.#noted = this.#openNoted(bounds);
    this.#feed = new Feed({
      revision: state.revision,
      oldest: state.compacted,
      changesMax: recentChangesMax,
      bytesMax: recentBytesMax,
      older: (after, max) => this.#readChanges(after, max),
    });
    this.#tick();
  }

  #openNoted(bounds: KvHistoryBounds): NotedHistory {
    const { revision } = this.#state;
    const flush = () => this.#flush();
    return new NotedHistory({ disk: this.#disk, bounds, revision, clock: this.#clock, log: this.#log, flush });
  }

  history(): KvHistory | undefined {
    return this.#noted?.keeps ? this.#noted : undefined;
  }

  async forgetHistory(): Promise<void> {
    this.#assertOpen();
    this.#assertWritable();
    if (this.#noted === undefined && this.#disk.notes.state() !== undefined) this.#noted = this.#openNoted(nothingKept);
    this.#noted?.forget();
    await this.compact(this.#state.revision);
    await this.#flush();
  }

  async rewriteHistory(rewrite: KvHistoryRewrite): Promise<{ readonly states: number; readonly failed: number }> {
    if (!this.#noted?.keeps) {
      await this.forgetHistory();
      return { states: 0, failed: 0 };
    }
    this.#assertOpen();
    this.#assertWritable();
    const { revision } = this.#state;
    await this.compact(revision);
    // It follows in steps, and not before those have read who reads at an older revision.
    while (this.#state.swept < revision) {
      await this.#flush();
      this.#assertOpen();
      this.#assertWritable();
      if (this.#space.full) throw new KvError("unavailable", `the disk of ${this.#folder} is full`);
      if (this.#state.swept < revision) await new Promise<void>((resolve) => this.#clock.after(readersWaitMs, resolve));
    }
    return this.#noted.rewrite(rewrite, this.#sweepEnd(this.#state.swept));
  }

  async revision(): Promise<bigint> {
    this.#assertOpen();
    return this.#state.revision;
  }

  newest(): bigint | undefined {
    return this.#condition.is === "closed" ? undefined : this.#state.revision;
  }

  async get(key: string): Promise<KvEntry | undefined> {
    this.#assertOpen();
    checkKey(key);
    return readEntry(this.#disk, key, this.#state.revision);
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<KvRange> {
    this.#assertOpen();
    checkPrefix(prefix);
    if (options.start !== undefined) checkPrefix(options.start);
    const revision = options.revision ?? this.#state.revision;
    if (revision > this.#state.revision) throw new RevisionUnknown(revision, this.#state.revision);
    const oldest = smaller(options.noted ? this.#noted?.oldest.revision : undefined, this.#compactedRevision);
    if (revision < oldest && !this.#kept.has(revision)) throw new RevisionCompacted(revision, oldest);
    const unpin = this.#pins.hold(revision);
    crashPoint("range: pinned");
    try {
      const { start, limit, uncounted = false, damaged = false } = options;
      const isIndexed = this.#noted?.isIndexed(revision) ?? true;
      return await readRange(this.#disk, { prefix, revision, start, limit, uncounted, damaged, isIndexed });
    } finally {
      unpin();
    }
  }

  put(key: string, value: Uint8Array, expected: bigint, note?: Uint8Array): Promise<bigint> {
    return this.#write(key, value, expected, note);
  }

  delete(key: string, expected: bigint, note?: Uint8Array): Promise<bigint> {
    return this.#write(key, undefined, expected, note);
  }

  async commit(writes: readonly KvWrite[]): Promise<readonly bigint[]> {
    this.#assertOpen();
    checkWrites(writes);
    const [first, ...others] = writes;
    if (first === undefined) return [];
    let next = await new Promise<bigint>((resolve, reject) => {
      const { key, value, expected, note, keeps = false } = first;
      this.#enqueue({ key, value, expected, note, keeps, others, resolve, reject });
    });
    return writes.map(({ keeps, expected }) => (keeps ? expected : next++));
  }

  watch(prefix: string, since: bigint, signal: AbortSignal, options?: KvWatchOptions): AsyncIterable<KvEvents> {
    this.#assertOpen();
    checkPrefix(prefix);
    crashPoint("watch: begun");
    return this.#feed.watch(prefix, since, signal, options);
  }

  async compact(revision: bigint): Promise<void> {
    this.#assertOpen();
    this.#assertWritable();
    if (revision > this.#state.revision) throw new RevisionUnknown(revision, this.#state.revision);
    if (revision <= this.#compactedRevision) return;
    crashPoint("compact: asked");
    this.#moveCompactedRevision(revision);
    // The files follow in steps after the next flush; waiting for the last step would not help any caller.
    const compacted = this.#compactions.add(revision);
    void this.#flush();
    return compacted;
  }

  pin(): KvPin {
    this.#assertOpen();
    const { revision } = this.#state;
    return { revision, release: this.#kept.hold(revision) };
  }

  async sizes(): Promise<readonly KvSize[]> {
    const { size } = await stat(join(this.#folder, dataFile));
    return [{ endpoint: this.#folder, bytes: size }];
  }

  condition(): KvCondition {
    if (this.#condition.is === "failed") return "failed";
    // If callers stop writing because the disk is full, no write would show that it has space again: check it here.
    const idle = this.#flushing === undefined && this.#condition.is === "open";
    if (idle) this.#space.lookAgain();
    return this.#space.full ? "full" : "ok";
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    crashPoint("close: begun");
    this.#cancelTick();
    this.#feed.end();
    crashPoint("close: watches ended");
    const failed = this.#condition.is === "failed";
    this.#condition = { is: "closed" };
    await this.#noted?.stop();
    while (this.#queue.length > 0 && !failed) await this.#flush();
    await this.#flushing;
    this.#compactions.reject(new KvClosed());
    while (!this.#pins.isEmpty) await nextTimeSlice();
    crashPoint("close: drained");
    try {
      await this.#disk.close();
    } finally {
      this.#room.close();
      crashPoint("close: files closed");
      this.#unlock();
      crashPoint("close: unlocked");
    }
  }

  #write(key: string, value: Uint8Array | undefined, expected: bigint, note?: Uint8Array): Promise<bigint> {
    return new Promise((resolve, reject) => {
      this.#assertOpen();
      checkKey(key);
      if (value !== undefined) checkValue(value);
      this.#enqueue({ key, value, expected, note, keeps: false, others: undefined, resolve, reject });
    });
  }

  #enqueue(commit: QueuedCommit): void {
    this.#assertWritable();
    this.#queue.push(commit);
    crashPoint("write: queued");
    if (this.#flushing === undefined) void this.#flush();
  }

  /** Commits what is queued, and continues as long as there is something to write or to sweep. Never rejects. */
  #flush(): Promise<void> {
    this.#flushing ??= this.#flushAll();
    return this.#flushing;
  }

  async #flushAll(): Promise<void> {
    // Writers that were answered in this turn of the event loop often write again in it: wait, so that they share a flush.
    await nextTimeSlice();
    crashPoint("flush: begun");
    while (this.#condition.is !== "failed" && this.#hasWork()) {
      await this.#flushOnce();
      await nextTimeSlice();
    }
    // In the same step as the last check for work: a later writer finds no flush running and starts one.
    this.#flushing = undefined;
    crashPoint("flush: ended");
  }

  #hasWork(): boolean {
    if (this.#queue.length > 0 || !this.#compactions.isEmpty) return true;
    // Sweeping can wait for free space, and for the next opening.
    if (this.#condition.is !== "open" || this.#space.full) return false;
    if (this.#noted?.hasRest(this.#sweepEnd(this.#state.swept))) return true;
    return this.#state.compacted < this.#compactedRevision || this.#state.swept < this.#sweepEnd();
  }

  async #flushOnce(): Promise<void> {
    const batch = takeBatch(this.#queue);
    crashPoint("batch: taken");
    let decided: Decided[] = [];
    try {
      const swept = this.#planSweep();
      const touched = swept.versions.length + swept.moved.length + (this.#noted === undefined ? 0 : sweepStepMax);
      const movedBytes = bytesOf(swept.moved) + (this.#noted?.readyBytes ?? 0);
      if (!this.#space.find(growthOf(batch, touched, movedBytes))) {
        this.#refuseForSpace(batch);
        return;
      }
      const decision = decide(batch, this.#state.revision, (key) =>
        this.#latest.get(key, (unknown) => readKeyState(this.#disk, unknown)),
      );
      const { changes, records, decisions, revision } = decision;
      const sweeping = { end: this.#sweepEnd(this.#state.swept), max: sweepStepMax, moved: swept.moved };
      const noted = this.#noted?.plan(decision, sweeping);
      decided = decisions;
      if (batch.length > 0) crashPoint("batch: decided");
      if (swept.versions.length > 0) crashPoint("sweep: decided");
      const state: StoreState = { revision, compacted: this.#compactedRevision, swept: swept.through };
      const moved = state.compacted !== this.#state.compacted || state.swept !== this.#state.swept;
      if (records.length > 0 || moved || noted?.isChange) {
        const versions = noted === undefined ? swept.versions : [...swept.versions, ...noted.versions];
        const commit = this.#disk.commit({ writes: records, swept: versions, state, noted: noted?.commit });
        if (batch.length > 0) crashPoint("batch: handed over");
        if (swept.versions.length > 0) crashPoint("sweep: handed over");
        if (!(await commit)) {
          throw new KvError("unavailable", `another process has opened the folder ${this.#folder} and writes there`);
        }
        if (batch.length > 0) crashPoint("batch: committed");
        if (swept.versions.length > 0) crashPoint("sweep: committed");
        if (state.compacted !== this.#state.compacted) crashPoint("compact: committed");
      }
      this.#latest.remember(records);
      this.#state = state;
      if (noted !== undefined) this.#noted?.committed(noted.commit);
      crashPoint("batch: counted");
      if (changes.length > 0) this.#feed.append(changes, revision);
      crashPoint("batch: announced");
      answerWriters(decisions);
      this.#compactions.resolve(state.compacted);
      this.#keepHistoryBounded(changes);
    } catch (error) {
      this.#fail(error, batch, decided);
    }
  }

  /** Nothing was written, so nothing is in doubt, and the next write may find free space again. */
  #refuseForSpace(batch: readonly QueuedCommit[]): void {
    const error = new KvError(
      "unavailable",
      `the disk of ${this.#folder} is full: nothing is written until there is room`,
    );
    for (const commit of batch) commit.reject(error);
    this.#compactions.reject(error);
  }

  #sweepEnd(floor = this.#compactedRevision): bigint {
    return this.#kept.oldest(this.#pins.oldest(floor));
  }

  #planSweep(): Sweep {
    const oldestNoted = this.#noted?.keeps ? this.#noted.oldest.revision : undefined;
    const bounds = { from: this.#state.swept, end: this.#sweepEnd(), max: sweepStepMax, oldestNoted };
    return planSweep(this.#disk, bounds, (revision, error) => {
      this.#log.error("a history record is damaged and was not removed", {
        revision: String(revision),
        error: error.message,
      });
    });
  }

  /** After a failed commit the contents of the disk are unknown: writes of this batch may be there after a restart. */
  #fail(cause: unknown, batch: readonly QueuedCommit[], decided: readonly Decided[]): void {
    const error = new KvError("unavailable", `the store in ${this.#folder} failed to write and takes no more writes`, {
      cause,
    });
    this.#log.error("store failed", { folder: this.#folder, error: String(cause) });
    if (this.#condition.is === "open") this.#condition = { is: "failed", error };
    const staged = new Set(decided.map(({ commit }) => commit));
    for (const commit of batch) commit.reject(staged.has(commit) ? new OutcomeUnknown(commit.key, { cause }) : error);
    for (const commit of this.#queue.splice(0)) commit.reject(error);
    this.#compactions.reject(error);
  }

  #keepHistoryBounded(changes: readonly KvChange[]): void {
    if (changes.length === 0) return;
    const { revision } = this.#state;
    this.#retention.record(this.#clock.monotonic(), revision, changes);
    const oldest = this.#retention.oldestByNumber(this.#compactedRevision, revision);
    if (oldest !== undefined) this.#moveCompactedRevision(oldest);
  }

  #tick(): void {
    this.#cancelTick = this.#clock.after(this.#retention.tickMs, () => {
      if (this.#condition.is !== "open") return;
      const oldest = this.#retention.oldest(this.#clock.monotonic(), this.#state.revision);
      if (oldest > this.#compactedRevision) {
        crashPoint("history: expired");
        this.#moveCompactedRevision(oldest);
        void this.#flush();
      }
      this.#noted?.expire(this.#space.isTight);
      if (this.#hasWork()) void this.#flush();
      this.#tick();
    });
  }

  #moveCompactedRevision(revision: bigint): void {
    this.#compactedRevision = revision;
    this.#feed.forget(revision);
    crashPoint("compact: floor moved");
  }

  /** Changes that are no longer in memory. The floor is at or before `after`, so all of them are on disk. */
  #readChanges(after: bigint, changesMax: number): KvEvents {
    this.#assertOpen();
    crashPoint("watch: read from disk");
    return readChanges(this.#disk, { after, newest: this.#state.revision, changesMax, bytesMax: readBytesMax });
  }

  #assertOpen(): void {
    if (this.#condition.is === "closed") throw new KvClosed();
  }

  #assertWritable(): void {
    if (this.#condition.is === "failed") throw this.#condition.error;
    if (this.#condition.is === "closed") throw new KvClosed();
  }
}

const bytesOf = (moved: readonly MovedState[]): number =>
  moved.reduce((bytes, { contents }) => bytes + contents.byteLength, 0);

const smaller = (one: bigint | undefined, other: bigint): bigint => (one !== undefined && one < other ? one : other);
