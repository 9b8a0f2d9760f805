/** Makes segments of a history beside other work: of what has settled, and again where states have to be others. */

import type { Log } from "../../base/log.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import { KvError, type KvHistoryRewrite, type KvShorterAge } from "../contract.ts";
import type { Disk } from "./disk.ts";
import { packSegment } from "./pack-segment.ts";
import { type ChangeRewrite, rebuildSegment } from "./rebuild-segment.ts";
import type { NoteRecord } from "./records.ts";
import { RewrittenStates } from "./rewritten-states.ts";
import type { PackedSegment } from "./segment.ts";

/** Notes and former states become a segment when they have so many bytes, or this share of the bound. */
export const segmentBytesMax = 16 * 1024 * 1024;
const segmentShare = 1 / 16;
/** Whether they have is looked at again after so many writes, and earlier if few bytes are enough. */
const packingLookWrites = 200;
const packingLookBytes = 64 * 1024;

/** What had been counted at a revision. */
export interface CountedUpTo {
  readonly revision: bigint;
  readonly totalBytes: number;
  readonly movedBytes: number;
}

/** The history, as far as its segments need to know it. */
export interface Packable {
  /** The newest revision that is committed. */
  readonly revision: bigint;
  /** Former states up to this revision are no longer read from the log. */
  readonly settled: bigint;
  readonly oldest: bigint;
  readonly bytesMax: number;
  /** Whether nothing may be packed now. */
  readonly isBlocked: boolean;
  /** Where the segments end, or the history begins. */
  readonly unpackedFrom: CountedUpTo;
  readonly unpackedBytes: number;
  movedUpTo(revision: bigint): number;
  /** The newest note for which it holds; it holds for all before that one. */
  last(holds: (note: NoteRecord) => boolean): NoteRecord | undefined;
}

export class SegmentMaker {
  readonly #disk: Disk;
  readonly #log: Log;
  readonly #of: Packable;
  /** Commits what is ready. Ends when it is committed, or cannot be. */
  readonly #flush: () => Promise<void>;
  #making: Promise<void> | undefined;
  #nextLook = 0n;
  #isStopped = false;
  #isRewriting = false;
  /** How many ages are over in segments that were made again for it, or needed nothing. */
  readonly #trimmed = new Map<bigint, number>();
  #ready: PackedSegment | undefined;
  #placed: (() => void) | undefined;

  constructor(disk: Disk, { of, log, flush }: { of: Packable; log: Log; flush: () => Promise<void> }) {
    this.#disk = disk;
    this.#of = of;
    this.#log = log;
    this.#flush = flush;
  }

  /** A segment that goes into the next commit. */
  get ready(): PackedSegment | undefined {
    return this.#ready;
  }

  /** The finished segment, once. Undefined: none is finished, or all of its changes have been dropped since. */
  take(): PackedSegment | undefined {
    const segment = this.#ready;
    this.#ready = undefined;
    if (segment === undefined) return undefined;
    const { last } = segment.head;
    // One that is made again may have gone meanwhile.
    const isMadeAgain = last <= this.#disk.segments.through;
    const isWanted = last > this.#of.oldest && (!isMadeAgain || this.#disk.segments.has(last));
    if (!isWanted) this.placed();
    return isWanted ? segment : undefined;
  }

  /** What was taken is committed. */
  placed(): void {
    this.#placed?.();
    this.#placed = undefined;
  }

  /** Begins a segment if there is enough for one. */
  look(): void {
    const of = this.#of;
    if (of.revision < this.#nextLook) return;
    const wanted = Math.min(segmentBytesMax, of.bytesMax * segmentShare);
    const writes = Math.max(1, Math.min(packingLookWrites, Math.floor(wanted / packingLookBytes)));
    this.#nextLook = of.revision + BigInt(writes);
    if (this.#isStopped || this.#isRewriting || this.#making !== undefined || this.#ready !== undefined) return;
    if (of.isBlocked || of.unpackedBytes < wanted) return;
    try {
      const upTo = this.#settledNote(wanted);
      if (upTo !== undefined) this.#making = this.#make(upTo);
    } catch (error) {
      // A note is damaged: some writes later others are looked at.
      if (!(error instanceof KvError)) throw error;
    }
  }

  /** Where the next segment ends; undefined: less than wanted has settled. */
  #settledNote(wanted: number): NoteRecord | undefined {
    const of = this.#of;
    const { revision: after, totalBytes, movedBytes } = of.unpackedFrom;
    const bytesTo = (note: NoteRecord) => note.totalBytes - totalBytes + (of.movedUpTo(note.revision) - movedBytes);
    const settled = this.#disk.notes.upTo(of.settled);
    if (settled === undefined || settled.revision <= after || bytesTo(settled) < wanted) return undefined;
    // Once there may be much more: a history that an earlier program has kept.
    const most = wanted === 0 ? segmentBytesMax : wanted;
    if (bytesTo(settled) < most * 2) return settled;
    const found = of.last((note) => note.revision <= settled.revision && bytesTo(note) <= most);
    return found !== undefined && found.revision > after ? found : undefined;
  }

  async #make(upTo: NoteRecord): Promise<void> {
    await nextTimeSlice();
    try {
      const segment = await this.#pack(upTo);
      if (this.#isStopped || segment === undefined || segment.head.last <= this.#of.oldest) return;
      this.#ready = segment;
      void this.#flush();
    } catch (error) {
      // The notes stay where they are, and it is tried again later.
      this.#log.error("the history was not compressed", { error: String(error) });
    } finally {
      this.#making = undefined;
    }
  }

  #pack(upTo: NoteRecord, rewritten?: RewrittenStates): Promise<PackedSegment | undefined> {
    return packSegment(this.#disk, {
      after: this.#of.unpackedFrom.revision,
      upTo,
      movedBytes: this.#of.movedUpTo(upTo.revision),
      rewritten,
      isStopped: () => this.#isStopped || this.#of.oldest >= upTo.revision,
      onDamaged: this.#onDamaged,
    });
  }

  readonly #onDamaged = (revision: bigint, error: KvError): void =>
    this.#log.error("a history record is damaged and was left out", {
      revision: String(revision),
      error: error.message,
    });

  /**
   * Everything that has settled is in segments afterwards, with other states where these are asked for. The oldest segments come first: their
   * states may be differences to those of newer ones, and are whole when those change. Whoever is killed begins again, and finds what
   * was done.
   */
  async rewrite(rewrite: KvHistoryRewrite): Promise<{ readonly states: number; readonly failed: number }> {
    if (this.#isRewriting) throw new KvError("unavailable", "the history is being rewritten already");
    this.#isRewriting = true;
    const rewritten = new RewrittenStates(this.#disk, rewrite);
    const isStopped = () => this.#isStopped;
    try {
      await this.#making;
      if (this.#ready !== undefined) await this.#place(this.#ready);
      for (const { last } of this.#disk.segments.heads) {
        const rebuilding = rebuildSegment(this.#disk, last, { rewrite: rewritten, isStopped });
        const segment = await rebuilding.catch((error: unknown) => {
          if (!(error instanceof KvError) || error.code !== "damaged") throw error;
          rewritten.failed += 1;
          this.#onDamaged(last, error);
          return undefined;
        });
        if (segment !== undefined) await this.#place(segment);
      }
      for (let upTo = this.#settledNote(0); upTo !== undefined; upTo = this.#settledNote(0)) {
        const segment = await this.#pack(upTo, rewritten);
        if (segment === undefined) break;
        await this.#place(segment);
      }
      this.#disk.forgetRead();
      return rewritten;
    } finally {
      this.#isRewriting = false;
    }
  }

  /** Begins to make space of changes that nobody asks for any more. */
  trim(ages: readonly KvShorterAge[], now: number): void {
    if (this.#isStopped || this.#isRewriting || this.#making !== undefined || this.#ready !== undefined) return;
    if (this.#of.isBlocked) return;
    const { heads } = this.#disk.segments;
    for (const known of this.#trimmed.keys()) if (known < (heads[0]?.last ?? known + 1n)) this.#trimmed.delete(known);
    for (const { last, lastAtMs } of heads) {
      const over = ages.filter(({ ageMs }) => lastAtMs <= now - ageMs);
      if (over.length === 0) return; // later ones are newer
      if (this.#trimmed.get(last) === over.length) continue;
      this.#trimmed.set(last, over.length);
      this.#making = this.#without(last, over);
      return;
    }
  }

  async #without(last: bigint, over: readonly KvShorterAge[]): Promise<void> {
    await nextTimeSlice();
    try {
      const rewrite: ChangeRewrite = {
        concerns: (key) => over.some((age) => age.concerns(key)),
        changes: ({ note }) => rewrite.concerns(note.key),
        of: () => undefined,
      };
      const isStopped = () => this.#isStopped;
      const segment = await rebuildSegment(this.#disk, last, { rewrite, isStopped });
      if (segment === undefined || this.#isStopped) return;
      this.#ready = segment;
      void this.#flush();
    } catch (error) {
      this.#log.error("the history keeps some changes for longer", { error: String(error) });
    } finally {
      this.#making = undefined;
    }
  }

  async #place(segment: PackedSegment): Promise<void> {
    if (this.#isStopped) throw new KvError("closed", "the store is closed");
    this.#ready = segment;
    const placed = new Promise<void>((resolve) => {
      this.#placed = resolve;
    });
    await Promise.race([placed, this.#flush()]);
    if (this.#ready === segment)
      throw new KvError("unavailable", "the history was not rewritten: the store takes no writes now");
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.placed();
    await this.#making;
  }
}
