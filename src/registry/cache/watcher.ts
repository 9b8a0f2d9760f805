/** One watcher of a family: from a state or a version on it gets every change of the objects it selects, in order, once. */

import { keyOrder } from "../../base/key-order.ts";
import { nextTimeSlice, TimeSlice } from "../../base/time-slice.ts";
import { expired } from "../../machinery/status/status.ts";
import type { DeliveryPace, Watch, WatcherEvent, WatchReceiver } from "../contract/watch.ts";
import { behind } from "../keys.ts";
import type { Change, ObjectEvent } from "./change.ts";
import type { Collection } from "./collection.ts";
import type { StoredEntry } from "./entry.ts";
import type { WatchHistory } from "./history.ts";
import type { Selection } from "./selection.ts";
import type { Snapshot } from "./snapshot.ts";
import { take, walk } from "./walk.ts";

/** How many events are sent in one batch while a watcher catches up. */
const batchMax = 500;
/** Beginning with a larger state, a watcher waits for its own time slice: many of them may begin in the same turn of the event loop. */
export const watchedAtOnceMax = 100;
/** How many bytes of objects a batch has, without the last one: a receiver that does not read must not hold a copy of all. */
export const batchBytesMax = 256 * 1024;

export interface WatcherOptions {
  readonly collection: Collection;
  readonly selection: Selection;
  /** The initial state to send as ADDED events; undefined: only changes. */
  readonly initial: Snapshot | undefined;
  /** Changes after this revision are sent. */
  readonly since: bigint;
  readonly allowBookmarks: boolean;
  /** Whether a bookmark says where the initial state ends. Default: false. */
  readonly marksInitial?: boolean;
  /** The newest revision of this process, which a bookmark may name. */
  readonly reached: () => bigint;
  readonly bufferBytesMax: number;
  readonly onFault: (error: unknown) => void;
}

/** The phase of a watcher. */
type Phase =
  /** Created, but without a receiver. */
  | { readonly at: "waiting" }
  /** Sending the initial state; `from` is the key to continue with, `limit` how many objects to look for at once. */
  | { readonly at: "state"; readonly snapshot: Snapshot; readonly from: string; readonly limit: number }
  /** Sending past changes; `next` is the number of the next one in `history`. */
  | { readonly at: "history"; readonly history: WatchHistory; readonly next: number }
  /** Up to date: the collection passes it every change. */
  | { readonly at: "live" }
  | { readonly at: "ended" };

export class Watcher implements Watch {
  readonly selection: Selection;
  readonly #options: WatcherOptions;
  #phase: Phase = { at: "waiting" };
  /** Changes up to this revision have been sent, or precede the watch. */
  #since: bigint;
  #receiver: WatchReceiver | undefined;
  /** It looks at changes that it was woken for. */
  #isWoken = false;
  /** The receiver has reported that it cannot take more. */
  #blocked = false;
  /** Events that the receiver has not received yet. Events are shared, so each costs a pointer. */
  #pending: WatcherEvent[] = [];
  #pendingBytes = 0;
  /** A batch that other watchers get as well; not copied unless another joins it. */
  #shared: readonly WatcherEvent[] | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#since = options.since;
    this.selection = options.selection;
  }

  get requirements(): number {
    return this.selection.requirements;
  }

  /** Whether events wait for its receiver. */
  get isBehind(): boolean {
    return this.#hasPending || (this.#isWoken && !this.#blocked);
  }

  get #hasPending(): boolean {
    return this.#shared !== undefined || this.#pending.length > 0;
  }

  get allowBookmarks(): boolean {
    return this.#options.allowBookmarks;
  }

  get pace(): DeliveryPace | undefined {
    return this.#receiver?.pace;
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
      initial === undefined ? this.#resumedPhase() : { at: "state", snapshot: initial, from: "", limit: batchMax };
    if (since < collection.history.completeAfter) this.end(tooOld(since, collection.history.completeAfter));
    else this.#begin();
  }

  resume(): void {
    if (!this.#blocked) return;
    this.#blocked = false;
    this.#flush();
    if (!this.#blocked && this.#phase.at !== "live") this.#begin();
  }

  #begin(): void {
    if (this.#phase.at === "state" && this.#phase.snapshot.entries.size > watchedAtOnceMax) this.#rest();
    else this.#catchUp();
  }

  bookmark(): void {
    if (!this.allowBookmarks || this.#phase.at !== "live") return;
    const revision = this.#options.reached();
    if (revision < this.#since) return; // it waits for a later version
    this.flush();
    this.#deliver([{ type: "BOOKMARK", revision }]);
  }

  flush(): void {
    this.#options.collection.watchers.flush(this);
  }

  close(): void {
    this.#receiver = undefined;
    this.end(undefined);
  }

  /** Notifies the receiver, once, that nothing follows. */
  end(reason: Error | undefined): void {
    if (this.#receiver !== undefined) this.flush();
    if (this.#phase.at === "ended") return;
    this.#options.collection.watchers.remove(this);
    this.#phase = { at: "ended" };
    this.#pending = [];
    this.#shared = undefined;
    const receiver = this.#receiver;
    this.#receiver = undefined;
    try {
      receiver?.end(reason);
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  /** Events of changes that its selection matches, in order. Other watchers get the same batch. */
  take(batch: readonly WatcherEvent[]): void {
    if (batch[0]!.revision > this.#since) this.#deliver(batch);
    else {
      const events = batch.filter(({ revision }) => revision > this.#since);
      if (events.length > 0) this.#deliver(events);
    }
  }

  #deliver(events: readonly WatcherEvent[]): void {
    if (!this.#blocked) {
      this.#send(events);
      return;
    }
    this.#push(events);
    if (this.#pendingBytes > this.#options.bufferBytesMax) this.end(undefined); // it can watch again from the last version it saw
  }

  /** Sends what waited for the receiver. */
  #flush(): void {
    const batch = this.#shared ?? this.#pending;
    if (batch.length === 0) return;
    this.#shared = undefined;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#send(batch);
  }

  #push(events: readonly WatcherEvent[]): void {
    for (const event of events) if (event.type !== "BOOKMARK") this.#pendingBytes += event.entry.length;
    if (!this.#hasPending) {
      this.#shared = events;
      return;
    }
    if (this.#shared !== undefined) this.#pending.push(...this.#shared);
    this.#shared = undefined;
    this.#pending.push(...events);
  }

  #send(batch: readonly WatcherEvent[]): void {
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

  /**
   * Several changes of one revision are of one commit on etcd. A client whose watch was cut may have seen some of them, so it gets all of
   * them again.
   */
  #resumedPhase(): Phase {
    const { collection, since } = this.#options;
    const { history } = collection;
    const last = history.after(since) - 1;
    if (history.at(last)?.revision !== since || history.at(last - 1)?.revision !== since) return this.#pastPhase();
    this.#since = since - 1n;
    return { at: "history", history, next: history.after(since - 1n) };
  }

  /** There are changes that it must look at, in its own time. */
  wake(): void {
    if (this.#phase.at !== "live") return;
    this.#isWoken = true;
    this.#phase = this.#pastPhase();
    if (!this.#blocked) this.#rest();
  }

  /** Continues until the receiver blocks, all past changes have been sent, or the time slice ends. */
  #catchUp(): void {
    if (this.#options.collection.closed) this.end(undefined);
    const slice = new TimeSlice();
    while (!this.#blocked) {
      switch (this.#phase.at) {
        case "state":
          this.#sendState(this.#phase, slice);
          break;
        case "history":
          this.#sendHistory(this.#phase, slice);
          break;
        case "waiting":
        case "live":
        case "ended":
          return;
      }
      if (slice.isLong && !this.#blocked && this.#hasMuchLeft) {
        this.#rest();
        return;
      }
    }
  }

  /** A little work is finished even if the slice is over: on a busy machine the time may have passed without any of it done. */
  get #hasMuchLeft(): boolean {
    if (this.selection.hasCondition) return this.#phase.at === "state" || this.#phase.at === "history";
    if (this.#phase.at === "state") return this.#phase.snapshot.entries.size > watchedAtOnceMax;
    return this.#phase.at === "history" && this.#phase.history.end - this.#phase.next > watchedAtOnceMax;
  }

  /** No other code calls `#catchUp` meanwhile, since the receiver is not blocked. */
  #rest(): void {
    nextTimeSlice()
      .then(() => this.#catchUp())
      .catch((error: unknown) => {
        this.#options.onFault(error);
        this.end(undefined);
      });
  }

  #sendState(phase: Extract<Phase, { at: "state" }>, slice: TimeSlice): void {
    const { found, left } = this.#findState(phase, slice);
    const entries = found.slice(0, countWithin(found, batchBytesMax));
    const batch = entries.map(
      (entry): WatcherEvent => ({ type: "ADDED", entry, revision: entry.revision, isInitial: true }),
    );
    const { collection, since, marksInitial } = this.#options;
    if (entries.length < found.length || (left === undefined && found.length === phase.limit)) {
      const limit = Math.min(batchMax, 2 * entries.length);
      this.#phase = { ...phase, from: behind(keyOrder(entries.at(-1)!.path)), limit };
    } else {
      this.#phase = left === undefined ? this.#pastPhase() : { ...phase, from: left };
      if (left === undefined && marksInitial) batch.push({ type: "BOOKMARK", revision: since, endsInitial: true });
    }
    if (batch.length > 0) this.#send(batch);
    if (this.#phase.at === "history" && since < collection.history.completeAfter)
      this.end(tooOld(since, collection.history.completeAfter));
  }

  /** `left`: where to continue if the time slice ended before enough was found. */
  #findState(
    { snapshot, from, limit }: Extract<Phase, { at: "state" }>,
    slice: TimeSlice,
  ): { readonly found: readonly StoredEntry[]; readonly left: string | undefined } {
    if (!this.selection.restricted) return { found: take(snapshot, this.selection, from, limit), left: undefined };
    const found: StoredEntry[] = [];
    const left = walk(snapshot, this.selection, from, (entry) => found.push(entry) < limit, slice);
    return { found, left };
  }

  #sendHistory({ history, next: from }: Extract<Phase, { at: "history" }>, slice: TimeSlice): void {
    const { collection, since } = this.#options;
    // A new history does not contain the changes that were still to be sent.
    if (history !== collection.history || from < history.start) {
      this.end(tooOld(since, collection.history.completeAfter));
      return;
    }
    const batch: WatcherEvent[] = [];
    const isOver = () => (this.selection.hasCondition ? slice.isLong : slice.isOver);
    let next = from;
    let bytes = 0;
    for (; next < history.end && batch.length < batchMax && bytes < batchBytesMax && !isOver(); next += 1) {
      const change = history.at(next)!;
      const event = change.revision > this.#since ? eventFor(change, this.selection) : undefined;
      if (event === undefined) continue;
      batch.push(event);
      bytes += event.entry.length;
    }
    if (next < history.end) {
      this.#phase = { at: "history", history, next };
    } else {
      this.#phase = { at: "live" };
      this.#isWoken = false;
      const newest = history.at(history.end - 1)?.revision ?? 0n;
      if (newest > this.#since) this.#since = newest; // a watcher that starts while a change is announced has already sent it
      collection.watchers.add(this);
    }
    if (batch.length > 0) this.#send(batch);
  }
}

/** The event that a change is for watchers with this selection; undefined: none. */
export function eventFor(change: Change, selection: Selection): ObjectEvent | undefined {
  const selects = (entry: StoredEntry | undefined) => entry !== undefined && selection.matches(entry);
  return change.eventFor(selects(change.previous), selects(change.entry))?.[0];
}

/** How many of the first entries have at most `bytesMax` bytes together, the last of them not counted. */
function countWithin(entries: readonly StoredEntry[], bytesMax: number): number {
  let count = 0;
  for (let bytes = 0; count < entries.length && bytes < bytesMax; count++) bytes += entries[count]!.length;
  return count;
}

const tooOld = (since: bigint, kept: bigint): Error =>
  expired(`too old resource version: ${since} (${kept}); list again and watch from there`);
