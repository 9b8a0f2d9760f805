/** The store that keeps everything in memory: for tests, forks and servers that may lose their data. */

import { keyOrder } from "../../base/key-order.ts";
import { emptyTree, type Tree, treeDelete, treeGet, treeRank, treeSet, treeSlice } from "../../base/ordered-tree.ts";
import {
  type Kv,
  type KvChange,
  KvClosed,
  type KvEntry,
  type KvEvents,
  type KvPin,
  type KvRange,
  type KvWrite,
  type RangeOptions,
  RevisionCompacted,
  RevisionConflict,
  RevisionUnknown,
} from "../contract.ts";
import { Feed, joined } from "../feed.ts";
import { checkKey, checkPrefix, checkValue, checkWrites } from "../limits.ts";

interface MemoryKvOptions {
  /** How many changes can be watched again and how many past states read; the default is 10,000. */
  readonly historyChangesMax?: number;
}

export interface MemoryKv extends Kv {
  /**
   * An independent store that begins with the present state, without history. Cheap: the trees are shared. `revision`: a later one to
   * begin with. Default: the present one.
   */
  fork(revision?: bigint): MemoryKv;
}

export function createMemoryKv(options: MemoryKvOptions = {}): MemoryKv {
  return new TreeKv(options, emptyTree, 0n);
}

/** A store that begins with these entries and continues after `revision`, which is at or above theirs. */
export function fillMemoryKv(entries: Iterable<KvEntry>, revision: bigint): MemoryKv {
  let state: Tree<KvEntry> = emptyTree;
  for (const entry of entries) state = treeSet(state, keyOrder(entry.key), entry);
  return new TreeKv({}, state, revision);
}

/** Sorts behind every key: no UTF-8 text contains this byte. */
const behindAll = "\xff";

class TreeKv implements MemoryKv {
  readonly #options: MemoryKvOptions;
  readonly #historyChangesMax: number;
  readonly #feed: Feed;
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
    const state = this.#stateAt(revision);
    const from = keyOrder(prefix);
    const start = options.start === undefined ? from : maxOf(from, keyOrder(options.start));
    const end = from + behindAll;
    const available = Math.max(0, treeRank(state, end) - treeRank(state, start));
    const entries = treeSlice(state, start, end, options.limit ?? available);
    return { entries, revision, remaining: available - entries.length };
  }

  async put(key: string, value: Uint8Array, expected: bigint): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    checkValue(value);
    const ordered = keyOrder(key);
    const previous = this.#expect(key, ordered, expected);
    const revision = this.#revision + 1n;
    const entry: KvEntry = { key, value, revision, created: previous?.created ?? revision };
    this.#publish([treeSet(this.#state, ordered, entry)], [{ key, revision, value }]);
    return revision;
  }

  async delete(key: string, expected: bigint): Promise<bigint> {
    this.#assertOpen();
    checkKey(key);
    const ordered = keyOrder(key);
    const previous = this.#expect(key, ordered, expected);
    if (previous === undefined) throw new RevisionConflict(key, expected);
    const revision = this.#revision + 1n;
    this.#publish([treeDelete(this.#state, ordered)], [{ key, revision }]);
    return revision;
  }

  async commit(writes: readonly KvWrite[]): Promise<readonly bigint[]> {
    this.#assertOpen();
    checkWrites(writes);
    const before = writes.map(({ key, expected }) => this.#expect(key, keyOrder(key), expected));
    const [states, changes]: [Tree<KvEntry>[], KvChange[]] = [[], []];
    const revisions: bigint[] = [];
    let [state, revision] = [this.#state, this.#revision];
    for (const [at, { key, value, keeps, expected }] of writes.entries()) {
      if (!keeps) {
        const ordered = keyOrder(key);
        revision += 1n;
        if (value === undefined && before[at] === undefined) throw new RevisionConflict(key, expected);
        state =
          value === undefined
            ? treeDelete(state, ordered)
            : treeSet(state, ordered, { key, value, revision, created: before[at]?.created ?? revision });
        states.push(state);
        changes.push({ key, revision, ...(value && { value }) });
      }
      revisions.push(keeps ? expected : revision);
    }
    if (changes.length > 0) this.#publish(states, joined(changes));
    return revisions;
  }

  watch(prefix: string, since: bigint, signal: AbortSignal): AsyncIterable<KvEvents> {
    this.#assertOpen();
    checkPrefix(prefix);
    return this.#feed.watch(prefix, since, signal);
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

  fork(revision = this.#revision): MemoryKv {
    this.#assertOpen();
    if (revision < this.#revision) throw new RevisionUnknown(revision, this.#revision);
    return new TreeKv(this.#options, this.#state, revision);
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

  #stateAt(revision: bigint): Tree<KvEntry> {
    if (revision > this.#revision) throw new RevisionUnknown(revision, this.#revision);
    const { oldest } = this.#feed;
    const pinned = this.#pinned.get(revision);
    if (pinned !== undefined) return pinned.state;
    if (revision < oldest) throw new RevisionCompacted(revision, oldest);
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
