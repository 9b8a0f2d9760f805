/** What this process knows of one family: its newest state, its latest changes, and who wants to hear of them. */

import type { Family } from "../machinery/schema/catalog.ts";
import type { Change } from "./change.ts";
import type { Entry } from "./contract/entry.ts";
import { History, type HistoryLimits } from "./history.ts";
import { Places } from "./places.ts";
import type { Selection } from "./selection.ts";
import { emptySnapshot, type IndexName, replace, type Snapshot, withIndex, withoutIndex } from "./snapshot.ts";
import { Watchers } from "./watchers.ts";

/** Below this size looking at every object is as good as an index. */
const indexedFrom = 200;
/** How many indexes one family has at most; the one asked for least recently goes. */
const indexesMax = 16;
/** How many terms are remembered as having been asked for once; an index is made for the second time. */
const askedMax = 1_000;

export type Observer = (change: { entry: Entry; deleted: boolean }) => void;

export class Collection {
  readonly family: Family;
  readonly places = new Places();
  readonly watchers = new Watchers();
  readonly observers: Set<Observer>;
  readonly #limits: HistoryLimits;
  readonly #asked = new Set<IndexName>();
  /** Nothing is announced any more. */
  closed = false;
  live: Snapshot = emptySnapshot;
  history: History;

  constructor(family: Family, completeAfter: bigint, limits: HistoryLimits, observers = new Set<Observer>()) {
    this.family = family;
    this.observers = observers;
    this.#limits = limits;
    this.history = new History(completeAfter, limits);
  }

  /** Takes changes in revision order; nobody is told yet. */
  apply(change: Change): void {
    this.live = replace(this.live, change.path, change.previous, change.entry);
    if (change.entry !== undefined) this.places.set(change.entry);
    else if (change.previous !== undefined) this.places.delete(change.previous);
    this.history.append(change, this.live);
  }

  /** Forgets the past: the state is `live` at `revision`, and watchers must begin anew. */
  restart(live: Snapshot, revision: bigint, reason: Error | undefined): void {
    let next = live;
    for (const name of this.live.indexes.keys()) next = withIndex(next, name);
    this.live = next;
    this.places.replaceAll(next);
    this.history = new History(revision, this.#limits);
    for (const watcher of [...this.watchers]) watcher.end(reason);
  }

  /** Makes sure that terms asked for again and again have an index. */
  prepareFor(selection: Selection): void {
    if (this.live.entries.size < indexedFrom) return;
    for (const { index } of selection.terms) {
      const known = this.live.indexes.get(index);
      if (known !== undefined) {
        this.#touch(index);
      } else if (this.#asked.has(index)) {
        this.#asked.delete(index);
        this.#addIndex(index);
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

  #addIndex(name: IndexName): void {
    if (this.live.indexes.size >= indexesMax) {
      const [oldest] = this.live.indexes.keys();
      this.live = withoutIndex(this.live, oldest!);
    }
    this.live = withIndex(this.live, name);
  }

  close(): void {
    this.closed = true;
    for (const watcher of [...this.watchers]) watcher.end(undefined);
  }
}
