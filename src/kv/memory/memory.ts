/** The store that keeps everything in memory: for tests, forks and servers that may lose their data. */

import type { Clock } from "../../base/clock.ts";
import { keyOrder } from "../../base/key-order.ts";
import { emptyTree, type Tree, treeDelete, treeGet, treeRank, treeSet, treeSlice } from "../../base/ordered-tree.ts";
import {
  type Kv,
  type KvChange,
  KvClosed,
  type KvEntry,
  type KvEvents,
  type KvHistory,
  type KvHistoryBounds,
  type KvPin,
  type KvRange,
  type KvWatchOptions,
  type KvWrite,
  type RangeOptions,
  RevisionCompacted,
  RevisionConflict,
  RevisionUnknown,
} from "../contract.ts";
import { Feed, joined } from "../feed.ts";
import { checkKey, checkPrefix, checkValue, checkWrites } from "../limits.ts";
import { NotedChanges } from "./noted-history.ts";

export interface MemoryKvOptions {
  /** How many changes can be watched again and how many past states read; the default is 10,000. */
  readonly historyChangesMax?: number;
  /** How much is kept of writes that have notes, beyond that. Absent: notes are ignored. */
  readonly noted?: { readonly bounds: KvHistoryBounds; readonly clock: Clock } | undefined;
}

export interface MemoryKv extends Kv {
  /**
   * An independent store that begins with the present state, without history. Cheap: the trees are shared. `revision`: a later one to
   * begin with. Default: the present one. `clock`: that of its history. Default: the same.
   */
  fork(revision?: bigint, clock?: Clock): MemoryKv;
}

export function createMemoryKv(options: MemoryKvOptions = {}): MemoryKv {
  return new TreeKv(options, emptyTree, 0n);
}

/** A store that begins with these entries and continues after `revision`, which is at or above theirs. */
export function fillMemoryKv(entries: Iterable<KvEntry>, revision: bigint, options: MemoryKvOptions = {}): MemoryKv {
  let state: Tree<KvEntry> = emptyTree;
  for (const entry of entries) state = treeSet(state, keyOrder(entry.key), entry);
  return new TreeKv(options, state, revision);
}

/** Sorts behind every key: no UTF-8 text contains this byte. */
const behindAll = "\xff";

class TreeKv implements MemoryKv {
  readonly #options: MemoryKvOptions;
  readonly #historyChangesMax: number;
  readonly #feed: Feed;
  readonly #noted: NotedChanges | undefined;
  /** The states after each revision from `feed.oldest` on: the one of revision r is at `r - oldest`, counted from #head. */
  #states: Tree<KvEntry>[];
  #head = 0;
  #state: Tree<KvEntry>;
  /** States that stay readable, by their revision. */
  readonly #pinned = new Map<bigint, { readonly state: Tree<KvEntry>; holders: number }>();
  #revision: bigint;
  #closed = false;

  constructor(options: MemoryKvOptions, state: Tree<KvEntry>, revision: bigint) {
    this.#options = options;
    this.#historyChangesMax = Math.max(1, options.historyChangesMax ?? 10_000);
    this.#state = state;
    this.#states = [state];
    this.#revision = revision;
    const { noted } = options;
    this.#noted = noted && new NotedChanges(noted.bounds, noted.clock, { revision, state });
    this.#feed = new Feed({ revision, oldest: revision, changesMax: this.#historyChangesMax });
  }

  async revision(): Promise<bigint> {
    this.#assertOpen();
    return this.#revision;
  }

  newest(): bigint | undefined {
    return this.#closed ? undefined : this.#revision;
  }

  async get(key: string): Promise<KvEntry | undefined> {
    this.#assertOpen();
    checkKey(key);
    return treeGet(this.#state, keyOrder(key));
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<KvRange> {
    this.#assertOpen();
    checkPrefix(prefix);
    if (options.start !== undefined) checkPrefix(options.start);
    const revision = options.revision ?? this.#revision;
    const state = this.#stateAt(revision, options.noted);
    const from = keyOrder(prefix);
    const start = options.start === undefined ? from : maxOf(from, keyOrder(options.start));
    const end = from + behindAll;
    const available = Math.max(0, treeRank(state, end) - treeRank(state, start));
    const entries = treeSlice(state, start, end, options.limit ?? available);
    return { entries, revision, remaining: available - entries.length };
  }

  async put(key: string, value: Uint8Array, expected: bigint, note?: Uint8Array): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    checkValue(value);
    const ordered = keyOrder(key);
    const previous = this.#expect(key, ordered, expected);
    const revision = this.#revision + 1n;
    const entry: KvEntry = { key, value, revision, created: previous?.created ?? revision };
    const state = treeSet(this.#state, ordered, entry);
    this.#note({ key, revision, value }, note, previous, state);
    this.#publish([state], [{ key, revision, value }]);
    return revision;
  }

  async delete(key: string, expected: bigint, note?: Uint8Array): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    const ordered = keyOrder(key);
    const previous = this.#expect(key, ordered, expected);
    if (previous === undefined) throw new RevisionConflict(key, expected);
    const revision = this.#revision + 1n;
    const state = treeDelete(this.#state, ordered);
    this.#note({ key, revision }, note, previous, state);
    this.#publish([state], [{ key, revision }]);
    return revision;
  }

  async commit(writes: readonly KvWrite[]): Promise<readonly bigint[]> {
    this.#assertOpen();
    checkWrites(writes);
    const before = writes.map(({ key, expected }) => this.#expect(key, keyOrder(key), expected));
    for (const [at, { key, value, keeps, expected }] of writes.entries())
      if (!keeps && value === undefined && before[at] === undefined) throw new RevisionConflict(key, expected);
    const [states, changes]: [Tree<KvEntry>[], KvChange[]] = [[], []];
    const revisions: bigint[] = [];
    let [state, revision] = [this.#state, this.#revision];
    for (const [at, { key, value, keeps, expected, note }] of writes.entries()) {
      if (!keeps) {
        const ordered = keyOrder(key);
        revision += 1n;
        state =
          value === undefined
            ? treeDelete(state, ordered)
            : treeSet(state, ordered, { key, value, revision, created: before[at]?.created ?? revision });
        const change = { key, revision, ...(value && { value }) };
        this.#note(change, note, before[at], state);
        states.push(state);
        changes.push(change);
      }
      revisions.push(keeps ? expected : revision);
    }
    if (changes.length > 0) this.#publish(states, joined(changes));
    return revisions;
  }

  #note(change: KvChange, note: Uint8Array | undefined, previous: KvEntry | undefined, state: Tree<KvEntry>): void {
    if (note !== undefined) this.#noted?.append(change, previous?.revision ?? 0n, note, state);
  }

  history(): KvHistory | undefined {
    return this.#noted;
  }

  async forgetHistory(): Promise<void> {
    this.#assertOpen();
    this.#noted?.forget(this.#revision, this.#state);
    await this.compact(this.#revision);
  }

  watch(prefix: string, since: bigint, signal: AbortSignal, options?: KvWatchOptions): AsyncIterable<KvEvents> {
    this.#assertOpen();
    checkPrefix(prefix);
    return this.#feed.watch(prefix, since, signal, options);
  }

  async compact(revision: bigint): Promise<void> {
    this.#assertOpen();
    if (revision > this.#revision) throw new RevisionUnknown(revision, this.#revision);
    const before = this.#feed.oldest;
    this.#feed.forget(revision);
    this.#forgetStates(Number(this.#feed.oldest - before));
  }

  pin(): KvPin {
    this.#assertOpen();
    const revision = this.#revision;
    const pinned = this.#pinned.get(revision) ?? { state: this.#state, holders: 0 };
    pinned.holders += 1;
    this.#pinned.set(revision, pinned);
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      pinned.holders -= 1;
      if (pinned.holders === 0) this.#pinned.delete(revision);
    };
    return { revision, release };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#feed.end();
  }

  fork(revision = this.#revision, clock = this.#options.noted?.clock): MemoryKv {
    this.#assertOpen();
    if (revision < this.#revision) throw new RevisionUnknown(revision, this.#revision);
    const { noted } = this.#options;
    const options = noted && clock ? { ...this.#options, noted: { ...noted, clock } } : this.#options;
    return new TreeKv(options, this.#state, revision);
  }

  #expect(key: string, ordered: string, expected: bigint): KvEntry | undefined {
    const current = treeGet(this.#state, ordered);
    if ((current?.revision ?? 0n) !== expected) throw new RevisionConflict(key, expected, current?.revision);
    return current;
  }

  /** The state after each change. There is no await between the comparison and here, so writers cannot interleave. */
  #publish(states: readonly Tree<KvEntry>[], changes: readonly KvChange[]): void {
    this.#state = states.at(-1)!;
    this.#revision = changes.at(-1)!.revision;
    this.#states.push(...states);
    const before = this.#feed.oldest;
    this.#feed.append(changes, this.#revision);
    this.#forgetStates(Number(this.#feed.oldest - before));
  }

  #stateAt(revision: bigint, noted = false): Tree<KvEntry> {
    if (revision > this.#revision) throw new RevisionUnknown(revision, this.#revision);
    const { oldest } = this.#feed;
    const pinned = this.#pinned.get(revision);
    if (pinned !== undefined) return pinned.state;
    if (revision < oldest) {
      const kept = noted ? this.#noted : undefined;
      const state = kept?.stateAt(revision);
      if (state === undefined) throw new RevisionCompacted(revision, kept?.oldest.revision ?? oldest);
      return state;
    }
    return this.#states[this.#head + Number(revision - oldest)]!;
  }

  #forgetStates(count: number): void {
    this.#states.fill(emptyTree, this.#head, this.#head + count);
    this.#head += count;
    if (this.#head > 1_000 && this.#head * 2 > this.#states.length) {
      this.#states = this.#states.slice(this.#head);
      this.#head = 0;
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new KvClosed();
  }
}

function maxOf(a: string, b: string): string {
  return a < b ? b : a;
}
