/** The history of a store in memory: each change with a note holds the whole state after it, which shares what did not change. */

import type { Clock } from "../../base/clock.ts";
import { keyOrder } from "../../base/key-order.ts";
import { emptyTree, type Tree, treeGet } from "../../base/ordered-tree.ts";
import { nextTimeSlice } from "../../base/time-slice.ts";
import type { KvChange, KvEntry, KvHistory, KvHistoryBounds, KvNoted, KvNotedQuery } from "../contract.ts";
import { folderOf } from "../folder-of.ts";

/** What a change takes besides its contents: the branches of the tree that lead to it. */
const overheadBytes = 2_048;
const pageChanges = 1_000;

interface Noted extends KvNoted {
  readonly state: Tree<KvEntry>;
  /** Of all changes up to this one. */
  readonly totalBytes: number;
}

/** In the place of a change that is no longer kept, so that its state is freed. */
const dropped: Noted = {
  key: "",
  revision: 0n,
  previous: 0n,
  deleted: true,
  atMs: 0,
  note: new Uint8Array(0),
  state: emptyTree,
  totalBytes: 0,
};

export class NotedChanges implements KvHistory {
  readonly #bounds: KvHistoryBounds;
  readonly #clock: Clock;
  /** Oldest first, from #head on. */
  #changes: Noted[] = [];
  #head = 0;
  #floor: {
    readonly revision: bigint;
    readonly atMs: number;
    readonly state: Tree<KvEntry>;
    readonly totalBytes: number;
  };

  constructor(bounds: KvHistoryBounds, clock: Clock, begin: { revision: bigint; state: Tree<KvEntry> }) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#floor = { ...begin, atMs: clock.now(), totalBytes: 0 };
  }

  get oldest(): { readonly revision: bigint; readonly atMs: number } {
    this.#expire();
    return this.#floor;
  }

  get bytes(): number {
    return this.#newest.totalBytes - this.#floor.totalBytes;
  }

  /** A change has been made, and `state` is what it led to. */
  append(change: KvChange, previous: bigint, note: Uint8Array, state: Tree<KvEntry>): void {
    const { key, revision, value } = change;
    const newest = this.#newest;
    const bytes = overheadBytes + key.length + (value?.byteLength ?? 0) + note.byteLength;
    const atMs = Math.max(newest.atMs, this.#clock.now());
    const totalBytes = newest.totalBytes + bytes;
    this.#changes.push({ key, revision, previous, deleted: value === undefined, atMs, note, state, totalBytes });
    this.#expire();
  }

  /** It begins again with this state. */
  forget(revision: bigint, state: Tree<KvEntry>): void {
    const { totalBytes, atMs } = this.#newest;
    this.#floor = { revision, atMs: Math.max(atMs, this.#clock.now()), state, totalBytes };
    this.#changes = [];
    this.#head = 0;
  }

  /** The state at a revision; undefined: it is not kept. */
  stateAt(revision: bigint): Tree<KvEntry> | undefined {
    if (revision < this.oldest.revision) return undefined;
    return this.#upTo((change) => change.revision <= revision)?.state ?? this.#floor.state;
  }

  async *changes(query: KvNotedQuery): AsyncIterable<readonly KvNoted[]> {
    const { before, after = 0n, sinceMs = 0, key, folder, upward } = query;
    let page: KvNoted[] = [];
    const isWanted = (change: KvNoted) =>
      (before === undefined || change.revision < before) &&
      (key === undefined ? folder === undefined || folderOf(change.key) === folder : change.key === key);
    const { revision: kept } = this.oldest;
    const oldest = after > kept ? after : kept;
    if (upward) {
      for (let at = this.#indexUpTo(({ revision }) => revision <= oldest) + 1; at < this.#changes.length; at += 1) {
        const change = this.#changes[at]!;
        if (isWanted(change) && change.atMs >= sinceMs) page.push(change);
        if (page.length < pageChanges) continue;
        yield page;
        page = [];
        await nextTimeSlice();
        at = this.#indexUpTo(({ revision }) => revision <= change.revision);
      }
      if (page.length > 0) yield page;
      return;
    }
    // By revision, not by position: others may write and drop between two pages.
    for (let at = this.#changes.length - 1; at >= this.#head; at -= 1) {
      const change = this.#changes[at]!;
      if (change.revision <= oldest || change.atMs < sinceMs) break;
      if (isWanted(change)) page.push(change);
      if (page.length < pageChanges) continue;
      yield page;
      page = [];
      await nextTimeSlice();
      at = this.#indexUpTo(({ revision }) => revision < change.revision) + 1;
    }
    if (page.length > 0) yield page;
  }

  change(revision: bigint): KvNoted | undefined {
    const found = this.#upTo((change) => change.revision <= revision);
    return found?.revision === revision ? found : undefined;
  }

  valueAt(key: string, revision: bigint): KvEntry | undefined {
    const state = this.stateAt(revision);
    return state && treeGet(state, keyOrder(key));
  }

  stateBefore({ key, revision, previous }: KvNoted): KvEntry | undefined {
    return previous === 0n ? undefined : this.valueAt(key, revision - 1n);
  }

  stateAfter({ key, revision, deleted }: KvNoted): KvEntry | undefined {
    return deleted ? undefined : this.valueAt(key, revision);
  }

  revisionAt(atMs: number): bigint {
    return this.#upTo((change) => change.atMs <= atMs)?.revision ?? this.oldest.revision;
  }

  get #newest(): { readonly atMs: number; readonly totalBytes: number } {
    return this.#head < this.#changes.length ? this.#changes.at(-1)! : this.#floor;
  }

  #expire(): void {
    const until = this.#clock.now() - this.#bounds.ageMs;
    const { totalBytes } = this.#newest;
    for (; this.#head < this.#changes.length; this.#head += 1) {
      const next = this.#changes[this.#head]!;
      if (next.atMs > until && totalBytes - this.#floor.totalBytes <= this.#bounds.bytesMax) break;
      this.#floor = next;
      this.#changes[this.#head] = dropped;
    }
    if (this.#head > 1_000 && this.#head * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Undefined: none that is kept. */
  #upTo(holds: (change: Noted) => boolean): Noted | undefined {
    const index = this.#indexUpTo(holds);
    return index < this.#head ? undefined : this.#changes[index];
  }

  /** Where the newest change is for which it holds; it holds for all before that one. */
  #indexUpTo(holds: (change: Noted) => boolean): number {
    let low = this.#head;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.#changes[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
