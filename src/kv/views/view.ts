/**
 * A store inside another one: its keys are below a prefix of that, on top of a base that it shares with others.
 *
 *     base   a@3 b@4            the view shows   a@3
 *     store  P/b removed@9                       c@11
 *            P/c@11
 *
 * Revisions are those of the store. A key of the base that is removed is written with a mark. `created` of such a key that comes again is
 * that of the first write of the view.
 */

import { keyOrder } from "../../base/key-order.ts";
import {
  type Kv,
  type KvChange,
  KvClosed,
  type KvCondition,
  type KvEntry,
  type KvEvents,
  type KvHistory,
  type KvPin,
  type KvRange,
  type KvWrite,
  OutcomeUnknown,
  type RangeOptions,
  RevisionCompacted,
  RevisionConflict,
  RevisionUnknown,
} from "../contract.ts";
import { Feed } from "../feed.ts";
import { checkKey, checkPrefix, checkWrites } from "../limits.ts";
import type { KvBase } from "./base.ts";
import { createViewHistory } from "./view-history.ts";

/** What a removed key of the base holds. Stored objects are JSON or encrypted, and both begin in another way. */
export const removedMark: Uint8Array = Buffer.from("\0removed\0");

/** How many changes a view keeps in memory for its watches; older ones are read from the store. */
const viewChangesMax = 1_000;
/** How many entries are read from the store at once. */
const pageEntries = 1_000;

interface ViewOptions {
  readonly kv: Kv;
  readonly prefix: string;
  readonly base: KvBase;
  /** The revision up to which the changes of the store have been seen. */
  readonly revision: bigint;
  readonly onClose: () => void;
}

export class KvView implements Kv {
  readonly #kv: Kv;
  readonly #prefix: string;
  readonly #base: KvBase;
  readonly #feed: Feed;
  readonly #onClose: () => void;
  readonly #pinned = new Map<bigint, number>();
  /** Where no other process writes: the newest revision of this view. */
  #newest: bigint | undefined;
  #compacted = 0n;
  #closed = false;
  #history: { readonly of: KvHistory; readonly own: KvHistory } | undefined;
  /** Called with the changes of the view, in their order. */
  onChanges: ((changes: readonly KvChange[]) => void) | undefined;

  constructor({ kv, prefix, base, revision, onClose }: ViewOptions) {
    this.#kv = kv;
    this.#prefix = prefix;
    this.#base = base;
    this.#onClose = onClose;
    this.#newest = kv.newest?.();
    const older = (after: bigint) => this.#older(after);
    this.#feed = new Feed({ revision, oldest: 0n, changesMax: viewChangesMax, older });
  }

  async revision(): Promise<bigint> {
    this.#assertOpen();
    return this.#newest ?? this.#kv.revision();
  }

  newest(): bigint | undefined {
    return this.#closed ? undefined : this.#newest;
  }

  async get(key: string): Promise<KvEntry | undefined> {
    this.#assertOpen();
    checkKey(key);
    const own = await this.#kv.get(this.#prefix + key);
    return own === undefined ? this.#base.get(key) : this.#shown(own);
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<KvRange> {
    this.#assertOpen();
    checkPrefix(prefix);
    const { start = "", limit = Number.POSITIVE_INFINITY, revision, uncounted, ...rest } = options;
    checkPrefix(start);
    if (revision !== undefined && revision < this.#compacted && !this.#pinned.has(revision)) {
      const { oldest } = (rest.noted && this.#kv.history?.()) || {};
      if (oldest === undefined || revision < oldest.revision)
        throw new RevisionCompacted(revision, oldest?.revision ?? this.#compacted);
    }
    // One more than is wanted says whether anything follows.
    const wanted = uncounted ? limit + 1 : Number.POSITIVE_INFINITY;
    const found: KvEntry[] = [];
    let at = revision;
    let from = start;
    for (let isEnd = false; !isEnd && found.length < wanted; ) {
      const own = await this.#kv.range(this.#prefix + prefix, {
        ...rest,
        ...(from !== "" && { start: this.#prefix + from }),
        ...(at !== undefined && { revision: at }),
        limit: Math.min(pageEntries, wanted),
        uncounted: true,
      });
      at ??= own.revision;
      isEnd = own.remaining === 0 || own.entries.length === 0;
      const end = isEnd ? undefined : this.#keyOf(own.entries.at(-1)!);
      this.#merge(own.entries, this.#base.under(prefix, from, wanted + own.entries.length), end, found);
      if (end !== undefined) from = `${end}\0`;
    }
    const remaining = Math.max(0, found.length - limit);
    return {
      entries: remaining > 0 ? found.slice(0, limit) : found,
      revision: at!, // the first page has one
      remaining: uncounted ? Math.min(1, remaining) : remaining,
    };
  }

  /** Both in key order; `end`: the last key that both are complete up to. */
  #merge(own: readonly KvEntry[], base: readonly KvEntry[], end: string | undefined, found: KvEntry[]): void {
    const last = end === undefined ? undefined : keyOrder(end);
    let at = 0;
    for (const entry of own) {
      const key = this.#keyOf(entry);
      const ordered = keyOrder(key);
      for (; at < base.length && keyOrder(base[at]!.key) < ordered; at++) found.push(base[at]!);
      if (base[at]?.key === key) at++;
      const shown = this.#shown(entry);
      if (shown !== undefined) found.push(shown);
    }
    for (; at < base.length; at++) {
      if (last !== undefined && keyOrder(base[at]!.key) > last) break;
      found.push(base[at]!);
    }
  }

  async put(key: string, value: Uint8Array, expected: bigint, note?: Uint8Array): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    return this.#written(await this.#write({ key, value, expected, note }));
  }

  async delete(key: string, expected: bigint, note?: Uint8Array): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    return this.#written(await this.#write({ key, expected, note }));
  }

  async #write(write: KvWrite): Promise<bigint> {
    const { key, value, expected, note } = await this.#translate(write);
    try {
      if (value === undefined) return await this.#kv.delete(key, expected, note);
      return await this.#kv.put(key, value, expected, note);
    } catch (error) {
      throw await this.#toldError(error, [write]);
    }
  }

  async commit(writes: readonly KvWrite[]): Promise<readonly bigint[]> {
    this.#assertOpen();
    checkWrites(writes);
    const translated = await Promise.all(writes.map((write) => this.#translate(write)));
    let revisions: readonly bigint[];
    try {
      revisions = await this.#kv.commit(translated);
    } catch (error) {
      throw await this.#toldError(error, writes);
    }
    for (const [at, revision] of revisions.entries()) if (!writes[at]!.keeps) this.#written(revision);
    return revisions.map((revision, at) => (writes[at]!.keeps ? writes[at]!.expected : revision));
  }

  #written(revision: bigint): bigint {
    if (this.#newest !== undefined && revision > this.#newest) this.#newest = revision;
    return revision;
  }

  /** The write of the store that does the same there. */
  async #translate(write: KvWrite): Promise<KvWrite> {
    const { key, expected } = write;
    if (write.value !== undefined && isRemoved(write.value))
      throw new TypeError("the value is the mark of a removed key");
    const translated = { ...write, key: this.#prefix + key };
    const base = this.#base.get(key);
    if (base === undefined) return translated;
    const own = await this.#kv.get(translated.key);
    const current = own === undefined ? base : this.#shown(own);
    if ((current?.revision ?? 0n) !== expected) throw new RevisionConflict(key, expected, current?.revision);
    const isRemoval = write.value === undefined && !write.keeps;
    if (isRemoval && current === undefined) throw new RevisionConflict(key, expected);
    return { ...translated, expected: own?.revision ?? 0n, ...(isRemoval && { value: removedMark }) };
  }

  /** Names the keys of this view. */
  async #toldError(error: unknown, writes: readonly KvWrite[]): Promise<unknown> {
    if (error instanceof OutcomeUnknown) return new OutcomeUnknown(writes[0]?.key ?? "", { cause: error });
    if (!(error instanceof RevisionConflict)) return error;
    const key = error.key.slice(this.#prefix.length);
    const write = writes.find((one) => one.key === key);
    if (this.#base.get(key) === undefined) return new RevisionConflict(key, write?.expected ?? 0n, error.revision);
    const current = await this.get(key);
    return new RevisionConflict(key, write?.expected ?? 0n, current?.revision);
  }

  history(): KvHistory | undefined {
    const of = this.#kv.history?.();
    if (of === undefined) return undefined;
    if (this.#history?.of !== of) {
      const shown = (key: string, own: KvEntry | undefined) =>
        own === undefined ? this.#base.get(key) : this.#shown(own);
      const isOfBase = (key: string) => this.#base.get(key) !== undefined;
      this.#history = { of, own: createViewHistory({ history: of, prefix: this.#prefix, isOfBase, shown }) };
    }
    return this.#history?.own;
  }

  watch(prefix: string, since: bigint, signal: AbortSignal): AsyncIterable<KvEvents> {
    this.#assertOpen();
    checkPrefix(prefix);
    return this.#feed.watch(prefix, since, signal);
  }

  /** All that the view has beyond its base, as changes in the order of revisions: the last one of each key. */
  async ownChanges(): Promise<KvEvents> {
    this.#assertOpen();
    const changes: KvChange[] = [];
    let revision: bigint | undefined;
    let start = this.#prefix;
    for (let isEnd = false; !isEnd; ) {
      const page: KvRange = await this.#kv.range(this.#prefix, {
        start,
        limit: pageEntries,
        uncounted: true,
        damaged: true,
        ...(revision !== undefined && { revision }),
      });
      revision ??= page.revision;
      isEnd = page.remaining === 0 || page.entries.length === 0;
      for (const entry of page.entries) changes.push(this.#changeOf(entry));
      start = `${page.entries.at(-1)?.key ?? ""}\0`;
    }
    changes.sort((a, b) => (a.revision < b.revision ? -1 : a.revision > b.revision ? 1 : 0));
    return { changes, revision: revision! }; // the first page has one
  }

  async compact(revision: bigint): Promise<void> {
    this.#assertOpen();
    const newest = await this.revision();
    if (revision > newest) throw new RevisionUnknown(revision, newest);
    // The store is compacted by those who have all of it.
    if (revision > this.#compacted) this.#compacted = revision;
    this.#feed.forget(this.#compacted);
  }

  pin(): KvPin {
    this.#assertOpen();
    const pin = this.#kv.pin?.() ?? { revision: this.#feed.revision, release() {} };
    const { revision } = pin;
    this.#pinned.set(revision, (this.#pinned.get(revision) ?? 0) + 1);
    let isReleased = false;
    return {
      revision,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        const holders = (this.#pinned.get(revision) ?? 1) - 1;
        if (holders === 0) this.#pinned.delete(revision);
        else this.#pinned.set(revision, holders);
        pin.release();
      },
    };
  }

  condition(): KvCondition {
    return this.#kv.condition?.() ?? "ok";
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#feed.end();
    this.#onClose();
  }

  /** Changes of the store, in their order; `revision`: how far they go. */
  take(changes: readonly KvChange[], revision: bigint): void {
    if (changes.length > 0) {
      const own = changes.map((change) => this.#changeOf(change));
      this.onChanges?.(own);
      this.#feed.append(own, revision);
      this.#written(changes.at(-1)!.revision);
      // Where other processes write too, progress is what a reader waits for; elsewhere the writes of others are no news here.
    } else if (this.#newest === undefined) this.#feed.advance(revision);
  }

  /** Changes up to `revision` were not seen. */
  skip(revision: bigint): void {
    this.#feed.advance(revision);
    this.#feed.forget(revision);
    if (revision > this.#compacted) this.#compacted = revision;
  }

  async #older(after: bigint): Promise<KvEvents> {
    const stop = new AbortController();
    for await (const { changes, revision } of this.#kv.watch(this.#prefix, after, stop.signal)) {
      stop.abort();
      return { changes: changes.map((change) => this.#changeOf(change)), revision };
    }
    throw new KvClosed();
  }

  #changeOf({ key, revision, value, ...rest }: KvChange): KvChange {
    const own = { ...rest, key: key.slice(this.#prefix.length), revision };
    return value === undefined || isRemoved(value) ? own : { ...own, value };
  }

  #keyOf(entry: KvEntry): string {
    return entry.key.slice(this.#prefix.length);
  }

  /** As the view shows it. Undefined: it is removed. */
  #shown(own: KvEntry): KvEntry | undefined {
    if (isRemoved(own.value)) return undefined;
    const key = this.#keyOf(own);
    return { ...own, key, created: this.#base.get(key)?.created ?? own.created };
  }

  #assertOpen(): void {
    if (this.#closed) throw new KvClosed();
  }
}

/** Whether what a view stores says that a key of the base is removed. */
export function isRemoved(value: Uint8Array): boolean {
  return value.length === removedMark.length && Buffer.compare(value, removedMark) === 0;
}
