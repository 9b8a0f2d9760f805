/** One watcher of a family: from a state or a version on it is told every change of what it selects, in order, once. */

import { nextTurn, Turns } from "../base/turns.ts";
import { expired } from "../machinery/status/status.ts";
import type { Change } from "./change.ts";
import type { Collection } from "./collection.ts";
import type { Watch, WatchEvent, WatchReceiver } from "./contract/watch.ts";
import type { StoredEntry } from "./entry.ts";
import type { History } from "./history.ts";
import { behind, ordered } from "./keys.ts";
import type { Selection } from "./selection.ts";
import type { Snapshot } from "./snapshot.ts";
import { take, walk } from "./walk.ts";

/** How many events are told in one go while a watcher catches up. */
const batchMax = 500;
/** How many bytes of objects, but for the last one: a receiver that does not read must not hold a copy of everything. */
export const batchBytesMax = 256 * 1024;

export interface WatcherOptions {
  readonly collection: Collection;
  readonly selection: Selection;
  /** The state to begin with as ADDED events; undefined: only changes. */
  readonly initial: Snapshot | undefined;
  /** Changes after this revision are told. */
  readonly since: bigint;
  readonly allowBookmarks: boolean;
  /** How far this process has come: what a bookmark may say. */
  readonly reached: () => bigint;
  readonly bufferBytesMax: number;
  readonly onFault: (error: unknown) => void;
}

/** Whether a selection holds the object of a change, before and after it. */
export interface Verdict {
  readonly was: boolean;
  readonly is: boolean;
}

/** Where a watcher is. */
type Phase =
  /** Made, but nobody listens yet. */
  | { readonly at: "waiting" }
  /** Telling the initial state; `from` is the key to go on with, `limit` how many objects to look for at once. */
  | { readonly at: "state"; readonly snapshot: Snapshot; readonly from: string; readonly limit: number }
  /** Telling changes of the past; `next` is the number of the next one in `history`. */
  | { readonly at: "history"; readonly history: History; readonly next: number }
  /** Up to date: the collection tells it of every change. */
  | { readonly at: "live" }
  | { readonly at: "ended" };

export class Watcher implements Watch {
  readonly selection: Selection;
  readonly #options: WatcherOptions;
  #phase: Phase = { at: "waiting" };
  /** Changes up to this revision have been told, or come before the watch. */
  #since: bigint;
  #receiver: WatchReceiver | undefined;
  /** The receiver said that it cannot take more. */
  #blocked = false;
  /** What the receiver has not got yet. Events are shared, so this costs a pointer each. */
  #pending: WatchEvent[] = [];
  #pendingBytes = 0;
  /** A batch of one that other watchers get as well; not copied unless a second event joins it. */
  #single: readonly WatchEvent[] | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#since = options.since;
    this.selection = options.selection;
  }

  get requirements(): number {
    return this.selection.requirements;
  }

  get allowBookmarks(): boolean {
    return this.#options.allowBookmarks;
  }

  start(receiver: WatchReceiver): void {
    if (this.#phase.at !== "waiting") return;
    this.#receiver = receiver;
    const { initial, collection, since } = this.#options;
    if (collection.closed) {
      this.end(undefined);
      return;
    }
    this.#phase =
      initial === undefined ? this.#pastPhase() : { at: "state", snapshot: initial, from: "", limit: batchMax };
    if (since < collection.history.completeAfter) this.end(tooOld(since));
    else this.#catchUp();
  }

  resume(): void {
    if (!this.#blocked) return;
    this.#blocked = false;
    if (this.#phase.at === "live") this.flush();
    else this.#catchUp();
  }

  bookmark(): void {
    if (!this.allowBookmarks || this.#phase.at !== "live") return;
    const revision = this.#options.reached();
    if (revision < this.#since) return; // it waits for a version that is still to come
    this.#push([{ type: "BOOKMARK", revision }], 0);
    this.flush();
  }

  close(): void {
    this.#receiver = undefined;
    this.end(undefined);
  }

  /** Tells the receiver, once, that nothing follows. */
  end(reason: Error | undefined): void {
    if (this.#phase.at === "ended") return;
    this.#options.collection.watchers.remove(this);
    this.#phase = { at: "ended" };
    this.#pending = [];
    this.#single = undefined;
    const receiver = this.#receiver;
    this.#receiver = undefined;
    try {
      receiver?.end(reason);
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  /** A change the collection believes to concern it. Told by the next `flush`. False: it does not, or it was too slow. */
  offer(change: Change, verdict?: Verdict): boolean {
    const told = this.#told(change, verdict);
    if (told === undefined) return false;
    this.#push(told, told[0].entry.bytes.length);
    if (!this.#blocked || this.#pendingBytes <= this.#options.bufferBytesMax) return true;
    this.end(undefined); // it can watch again from the last version it saw
    return false;
  }

  flush(): void {
    if (this.#blocked || this.#phase.at !== "live") return;
    const batch = this.#single ?? this.#pending;
    if (batch.length === 0) return;
    this.#single = undefined;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#tell(batch);
  }

  #told(change: Change, verdict?: Verdict): ReturnType<Change["told"]> {
    if (change.revision <= this.#since) return undefined;
    if (verdict !== undefined) return change.told(verdict.was, verdict.is);
    const { entry, previous } = change;
    return change.told(this.#selects(previous), this.#selects(entry));
  }

  #selects(entry: StoredEntry | undefined): boolean {
    return entry !== undefined && this.selection.matches(entry);
  }

  #push(events: readonly WatchEvent[], bytes: number): void {
    this.#pendingBytes += bytes;
    if (this.#single === undefined && this.#pending.length === 0) {
      this.#single = events;
      return;
    }
    if (this.#single !== undefined) this.#pending.push(...this.#single);
    this.#single = undefined;
    this.#pending.push(...events);
  }

  #tell(batch: readonly WatchEvent[]): void {
    try {
      if (this.#receiver?.events(batch) === false) this.#blocked = true;
    } catch (error) {
      this.#options.onFault(error);
      this.end(undefined);
    }
  }

  #pastPhase(): Phase {
    const { history } = this.#options.collection;
    return { at: "history", history, next: history.after(this.#options.since) };
  }

  /** Goes on until the receiver blocks, everything of the past has been told, or others have waited for their turn. */
  #catchUp(): void {
    if (this.#options.collection.closed) this.end(undefined);
    const turns = new Turns();
    while (!this.#blocked) {
      switch (this.#phase.at) {
        case "state":
          this.#tellState(this.#phase, turns);
          break;
        case "history":
          this.#tellHistory(this.#phase, turns);
          break;
        case "waiting":
        case "live":
        case "ended":
          return;
      }
      if (turns.isLong && !this.#blocked) {
        this.#rest();
        return;
      }
    }
  }

  /** Nobody else calls `#catchUp` meanwhile, since the receiver is not blocked. */
  #rest(): void {
    nextTurn()
      .then(() => this.#catchUp())
      .catch((error: unknown) => {
        this.#options.onFault(error);
        this.end(undefined);
      });
  }

  #tellState(phase: Extract<Phase, { at: "state" }>, turns: Turns): void {
    const { found, left } = this.#findState(phase, turns);
    const entries = found.slice(0, countWithin(found, batchBytesMax));
    const batch = entries.map((entry): WatchEvent => ({ type: "ADDED", entry, revision: entry.revision }));
    const { collection, since } = this.#options;
    if (entries.length < found.length || (left === undefined && found.length === phase.limit)) {
      const limit = Math.min(batchMax, 2 * entries.length);
      this.#phase = { ...phase, from: behind(ordered(entries.at(-1)!.path)), limit };
    } else {
      this.#phase = left === undefined ? this.#pastPhase() : { ...phase, from: left };
    }
    if (batch.length > 0) this.#tell(batch);
    if (this.#phase.at === "history" && since < collection.history.completeAfter) this.end(tooOld(since));
  }

  /** `left`: where to go on when the turn was over before enough was found. */
  #findState(
    { snapshot, from, limit }: Extract<Phase, { at: "state" }>,
    turns: Turns,
  ): { readonly found: readonly StoredEntry[]; readonly left: string | undefined } {
    if (!this.selection.restricted) return { found: take(snapshot, this.selection, from, limit), left: undefined };
    const found: StoredEntry[] = [];
    const left = walk(snapshot, this.selection, from, (entry) => found.push(entry) < limit, turns);
    return { found, left };
  }

  #tellHistory({ history, next: from }: Extract<Phase, { at: "history" }>, turns: Turns): void {
    const { collection, since } = this.#options;
    // Another history knows nothing of what this one had still to tell.
    if (history !== collection.history || from < history.start) {
      this.end(tooOld(since));
      return;
    }
    const batch: WatchEvent[] = [];
    let next = from;
    let bytes = 0;
    for (; next < history.end && batch.length < batchMax && bytes < batchBytesMax && !turns.isOver; next += 1) {
      const told = this.#told(history.at(next)!);
      if (told === undefined) continue;
      batch.push(told[0]);
      bytes += told[0].entry.bytes.length;
    }
    if (next < history.end) {
      this.#phase = { at: "history", history, next };
    } else {
      this.#phase = { at: "live" };
      const newest = history.at(history.end - 1)?.revision ?? 0n;
      if (newest > this.#since) this.#since = newest; // whoever starts while a change is announced has been told of it
      collection.watchers.add(this);
    }
    if (batch.length > 0) this.#tell(batch);
  }
}

/** How many of the first entries have at most `bytesMax` bytes together, the last of them not counted. */
function countWithin(entries: readonly StoredEntry[], bytesMax: number): number {
  let count = 0;
  for (let bytes = 0; count < entries.length && bytes < bytesMax; count++) bytes += entries[count]!.bytes.length;
  return count;
}

const tooOld = (since: bigint): Error =>
  expired(`resource version ${since} is too old: its history is no longer kept; list again and watch from there`);
