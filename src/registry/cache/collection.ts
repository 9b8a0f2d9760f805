/** One family in memory: its newest state, its watch history, and its watchers. */

import { treeVisit } from "../../base/ordered-tree.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import type { Entry } from "../contract/entry.ts";
import type { IndexName } from "../contract/question.ts";
import type { Change } from "./change.ts";
import { WatchHistory, type WatchHistoryLimits } from "./history.ts";
import { NameIndex } from "./name-index.ts";
import type { Selection } from "./selection.ts";
import {
  emptySnapshot,
  indexInSlices,
  reindexed,
  replace,
  type Snapshot,
  withIndex,
  withoutIndex,
  withTree,
} from "./snapshot.ts";
import { Watchers } from "./watchers.ts";

/** Below this size reading every object is as fast as an index. */
const indexedFrom = 200;
/** How many indexes one family has at most; the least recently used one is dropped. */
const indexesMax = 16;
/** Collections of more objects are indexed in time slices. */
export const indexedAtOnceMax = 5_000;
/** How many terms that were used once are tracked; the second use of a term makes an index. */
const askedMax = 1_000;

/** The objects of a family at one moment. Never changed. */
export interface CollectionState {
  readonly family: Family;
  readonly live: Snapshot;
  readonly names: NameIndex;
  readonly bytes: number;
}

/** What is absent is computed. */
type CollectionBeginning = Pick<CollectionState, "live"> & Partial<Pick<CollectionState, "names" | "bytes">>;

type Observer = (change: { entry: Entry; deleted: boolean }) => void;

export class Collection {
  readonly family: Family;
  readonly names: NameIndex;
  readonly watchers = new Watchers();
  readonly observers: Set<Observer>;
  readonly #limits: WatchHistoryLimits;
  readonly #asked = new Set<IndexName>();
  /** Changes that came while an index is made. Undefined: none is made. */
  #missed: Change[] | undefined;
  /** No further change is announced. */
  closed = false;
  live: Snapshot = emptySnapshot;
  /** The size of the entries of `live`, as JSON. */
  bytes = 0;
  history: WatchHistory;

  constructor(
    family: Family,
    completeAfter: bigint,
    limits: WatchHistoryLimits,
    observers = new Set<Observer>(),
    names = new NameIndex(),
  ) {
    this.family = family;
    this.observers = observers;
    this.names = names;
    this.#limits = limits;
    this.history = new WatchHistory(completeAfter, limits);
  }

  /** A collection that begins with the state of another cache, which may use it too. */
  static of({ family, live, names, bytes }: CollectionState, revision: bigint, limits: WatchHistoryLimits): Collection {
    const collection = new Collection(family, revision, limits, undefined, names.fork());
    collection.live = live;
    collection.bytes = bytes;
    return collection;
  }

  /** Applies changes in revision order, without notifying watchers. */
  apply(change: Change): void {
    this.live = replace(this.live, change.path, change.previous, change.entry);
    this.#missed?.push(change);
    if (change.entry !== undefined) this.names.set(change.entry);
    else if (change.previous !== undefined) this.names.delete(change.previous);
    this.bytes += (change.entry?.size ?? 0) - (change.previous?.size ?? 0);
    this.history.append(change, this.live);
  }

  /** Begins again: the state is `live` at `revision`. `names` and `bytes` are those of `live`. */
  restart({ live, names, bytes }: CollectionBeginning, revision: bigint, reason: Error | undefined): void {
    this.#missed = undefined;
    this.live = live;
    this.names.replaceBy(names ?? NameIndex.of(live));
    this.bytes = bytes ?? bytesOf(live);
    this.interrupt(revision, reason);
  }

  /** Drops the watch history up to `revision`: watchers must start again. */
  interrupt(revision: bigint, reason: Error | undefined): void {
    this.history = new WatchHistory(revision, this.#limits);
    for (const watcher of [...this.watchers]) watcher.end(reason);
  }

  /** What a fork begins with. */
  state(): CollectionState {
    return { family: this.family, live: this.live, names: this.names.fork(), bytes: this.bytes };
  }

  /** Makes sure that terms that are used often have an index. One call makes one index: a selector may have a thousand terms. */
  prepareFor(selection: Pick<Selection, "terms">): void {
    if (this.live.entries.size < indexedFrom) return;
    let mayMake = this.#missed === undefined;
    for (const { index } of selection.terms) {
      const known = this.live.indexes.get(index);
      if (known !== undefined) {
        this.#touch(index);
      } else if (this.#asked.has(index)) {
        if (!mayMake) continue;
        mayMake = false;
        this.#asked.delete(index);
        this.#makeIndex(index);
      } else {
        if (this.#asked.size >= askedMax) this.#asked.clear();
        this.#asked.add(index);
      }
    }
  }

  /** Maps keep their order of insertion, so the index used last comes last. */
  #touch(name: IndexName): void {
    const indexes = new Map(this.live.indexes);
    const index = indexes.get(name)!;
    indexes.delete(name);
    this.live = { entries: this.live.entries, indexes: indexes.set(name, index) };
  }

  #makeIndex(name: IndexName): void {
    if (this.live.entries.size <= indexedAtOnceMax) {
      this.#dropOldest();
      this.live = withIndex(this.live, name);
    } else void this.#makeInSlices(name); // nothing in it can fail
  }

  async #makeInSlices(name: IndexName): Promise<void> {
    const missed: Change[] = [];
    this.#missed = missed;
    let tree = await indexInSlices(this.live, name);
    if (this.#missed !== missed) return;
    this.#missed = undefined;
    for (const { path, previous, entry } of missed) tree = reindexed(tree, name, path, previous, entry);
    this.#dropOldest();
    this.live = withTree(this.live, name, tree);
  }

  #dropOldest(): void {
    if (this.live.indexes.size < indexesMax) return;
    const [oldest] = this.live.indexes.keys();
    this.live = withoutIndex(this.live, oldest!);
  }

  close(): void {
    this.closed = true;
    for (const watcher of [...this.watchers]) watcher.end(undefined);
  }
}

function bytesOf({ entries }: Snapshot): number {
  let bytes = 0;
  treeVisit(entries, "", (entry) => {
    bytes += entry.size;
    return true;
  });
  return bytes;
}
