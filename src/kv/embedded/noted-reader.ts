/** Questions about the changes of an embedded store's history: of all, of a folder, of one object, in either direction. */

import type { Log } from "../../base/log.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import { KvClosed, type KvNoted, type KvNotedQuery } from "../contract.ts";
import type { Disk } from "./disk.ts";
import { NotedIndex } from "./noted-index.ts";
import type { NoteRecord } from "./records.ts";
import type { CountedUpTo } from "./segment-maker.ts";

/** How many notes are read between two time slices, and at first: whoever asks for few needs no more. */
const pageNotes = 1_000;
const firstPageNotes = 100;

/** The history, as far as its reader needs to know it. */
export interface Readable {
  /** The newest revision that is committed. */
  readonly revision: bigint;
  readonly oldest: bigint;
  /** Where the segments end, or the history begins. */
  readonly unpackedFrom: CountedUpTo;
}

export class NotedReader {
  readonly #disk: Disk;
  readonly #of: Readable;
  readonly #log: Log;
  /** Undefined: it is being made, or will be some seconds after the start or when somebody asks. */
  #index: NotedIndex | undefined;
  #indexing: Promise<NotedIndex> | undefined;
  /** What has been committed while the index is being made. */
  #unindexed: Pick<KvNoted, "key" | "revision">[] = [];
  #isStopped = false;

  constructor(disk: Disk, of: Readable, log: Log) {
    this.#disk = disk;
    this.#of = of;
    this.#log = log;
  }

  committed(notes: readonly Pick<KvNoted, "key" | "revision">[]): void {
    if (this.#index !== undefined) for (const { key, revision } of notes) this.#index.add(key, revision);
    else if (this.#indexing !== undefined) this.#unindexed.push(...notes);
  }

  /** Changes up to the revision are in segments, or no longer kept. */
  forget(revision: bigint): void {
    this.#index?.forget(revision);
  }

  /** Ahead of the first question after a start, which would have to wait for it. */
  prepare(): void {
    this.#indexed().catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#indexing?.catch(() => {});
  }

  async *changes(query: KvNotedQuery): AsyncIterable<readonly KvNoted[]> {
    const { key, folder, upward } = query;
    if (key !== undefined) {
      yield* this.#changesOf(key, query);
      return;
    }
    if (folder !== undefined) await this.#indexed();
    yield* upward ? this.#upward(query) : this.#downward(query);
  }

  async *#downward({ before, after = 0n, sinceMs = 0, folder }: KvNotedQuery): AsyncIterable<readonly KvNoted[]> {
    let end = before ?? this.#of.revision + 1n;
    for (let limit = firstPageNotes; end > this.#of.oldest; limit = Math.min(limit * 2, pageNotes)) {
      const { page, reached } = await this.#pageDown(end - 1n, limit, folder);
      const floor = after > this.#of.oldest ? after : this.#of.oldest;
      const kept = page.filter(({ revision, atMs }) => revision > floor && atMs >= sinceMs);
      if (kept.length > 0) yield kept;
      if (kept.length < page.length || reached === undefined) return;
      end = reached;
      await nextTimeSlice();
    }
  }

  async *#upward({ before, after = 0n, sinceMs = 0, folder }: KvNotedQuery): AsyncIterable<readonly KvNoted[]> {
    let from = after;
    for (let limit = firstPageNotes; ; limit = Math.min(limit * 2, pageNotes)) {
      const begin = (from > this.#of.oldest ? from : this.#of.oldest) + 1n;
      const { page, reached } = await this.#pageUp(begin, limit, folder);
      const wanted = page.filter(({ revision }) => before === undefined || revision < before);
      const kept = wanted.filter(({ revision, atMs }) => revision > this.#of.oldest && atMs >= sinceMs);
      if (kept.length > 0) yield kept;
      if (wanted.length < page.length || reached === undefined) return;
      from = reached;
      await nextTimeSlice();
    }
  }

  /** What is in segments ends where the segments ended when the page was begun; the rest is in the table. */
  async #pageDown(from: bigint, limit: number, folder: string | undefined): Promise<NotedPage> {
    const { segments, notes } = this.#disk;
    const { through } = segments;
    const index = this.#index;
    const found =
      folder === undefined || index === undefined
        ? notes.downFrom(from, limit)
        : this.#notesAt(index.down(folder, from + 1n, limit));
    const page: KvNoted[] = found.filter(({ revision }) => revision > through);
    if (page.length === limit) return { page, reached: page.at(-1)!.revision };
    if (through === 0n) return { page, reached: undefined };
    const left = limit - page.length;
    const places = await segments.down(smaller(from, through), left, folder);
    const reached = places.length === left ? places.at(-1)!.revision : undefined;
    return { page: [...page, ...(await segments.notesAt(places))], reached };
  }

  async #pageUp(from: bigint, limit: number, folder: string | undefined): Promise<NotedPage> {
    const { segments, notes } = this.#disk;
    const { through } = segments;
    const index = this.#index;
    const begin = from > through ? from : through + 1n;
    // Before the segments, which take time: what is in the table now may be in a segment then.
    const found =
      folder === undefined || index === undefined
        ? notes.upFrom(begin, limit)
        : this.#notesAt(index.up(folder, begin - 1n, limit));
    const places = from > through ? [] : await segments.up(from, limit, folder);
    const rest = found.slice(0, limit - places.length);
    const isFull = places.length + rest.length === limit;
    const reached = isFull ? (rest.at(-1) ?? places.at(-1))!.revision : undefined;
    return { page: [...(await segments.notesAt(places)), ...rest], reached };
  }

  #notesAt(revisions: readonly bigint[]): KvNoted[] {
    // None is missing before it is forgotten; one that has just been removed ends the list, as all before it have been.
    return revisions.flatMap((revision) => this.noteOf(revision) ?? []);
  }

  /** Whether it is kept or not. */
  noteOf(revision: bigint): NoteRecord | undefined {
    const { segments, notes } = this.#disk;
    return revision <= segments.through ? segments.note(revision) : notes.get(revision);
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
    for (
      let from: bigint | undefined = this.#of.unpackedFrom.revision + 1n;
      from !== undefined;
      await nextTimeSlice()
    ) {
      if (this.#isStopped) throw new KvClosed();
      const page = this.#disk.notes.readableFrom(from, pageNotes, (revision) =>
        this.#log.error("a note of the history is damaged", { revision: String(revision) }),
      );
      for (const { key, revision } of page.notes) index.add(key, revision);
      from = page.resume;
    }
    // What was committed meanwhile: it may have been read already.
    for (const { key, revision } of this.#unindexed) index.add(key, revision);
    this.#unindexed = [];
    index.forget(this.#of.unpackedFrom.revision);
    this.#index = index;
    return index;
  }

  /** In pages: most callers want few, and an object may have thousands. */
  async *#changesOf(
    key: string,
    { before, after = 0n, sinceMs = 0, upward }: KvNotedQuery,
  ): AsyncGenerator<readonly KvNoted[]> {
    const upTo = before === undefined ? this.#of.revision : before - 1n;
    const { segments } = this.#disk;
    const { through } = segments;
    const isWanted = ({ revision, atMs }: KvNoted) => revision > after && revision > this.#of.oldest && atMs >= sinceMs;
    const versions = this.#disk.versionsUpTo(key, upTo).filter(({ revision }) => revision > through);
    const packed = segments.ofKey(key, smaller(upTo, through), upward === true);
    if (upward) {
      versions.reverse();
      for (const found of packed) {
        const page = found.filter(isWanted);
        if (page.length > 0) yield page;
        await nextTimeSlice();
      }
    }
    for (let at = 0; at < versions.length; at += firstPageNotes) {
      if (at > 0) await nextTimeSlice();
      const revisions = versions.slice(at, at + firstPageNotes).map(({ revision }) => revision);
      const wanted = revisions.filter((revision) => revision > this.#of.oldest && revision > after);
      const page = this.#notesAt(wanted).filter(isWanted);
      if (page.length > 0) yield page;
      else if (!upward) return;
    }
    if (upward) return;
    for (const found of packed) {
      const page = found.filter(isWanted);
      if (page.length > 0) yield page;
      if (page.length < found.length) return;
      await nextTimeSlice();
    }
  }
}

/** `reached`: where the next page goes on; undefined: this is the last one. Changes may be dropped while a page is read. */
interface NotedPage {
  readonly page: readonly KvNoted[];
  readonly reached: bigint | undefined;
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
