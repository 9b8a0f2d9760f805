/** The newest changes of a store and their watchers: each watcher is a position in one shared list. */

import { type KvChange, type KvEvents, type KvWatchOptions, RevisionCompacted } from "./contract.ts";

/** How many changes one event carries at most, so that a watcher far behind does not get everything at once. */
export const eventChangesMax = 1_000;

interface FeedOptions {
  /** The newest revision so far; changes up to it are not in the list. */
  readonly revision: bigint;
  /** The oldest revision from which a watch may start. */
  readonly oldest: bigint;
  /** How many changes stay in the list, if they did not come all at once. */
  readonly changesMax: number;
  /** How many bytes of keys and values stay in the list, if they did not come all at once; absent: only `changesMax` limits it. */
  readonly bytesMax?: number;
  /**
   * Reads changes after `after` that have left the list, at most `max` and never part of a revision.
   * Absent: what has left the list is gone, and `oldest` follows.
   */
  readonly older?: (after: bigint, max: number) => KvEvents | Promise<KvEvents>;
}

/**
 * Nothing is buffered per watcher. Example with room for two changes:
 *
 *     append r5, r6        list [r5 r6]   listed from 4   a watcher at 4 gets both, one at 5 gets r6
 *     append r7            list [r6 r7]   listed from 5   a watcher still at 4 is read from disk or ends as compacted
 */
export class Feed {
  readonly #options: FeedOptions;
  #list: (KvChange | undefined)[] = []; // undefined before #head
  /** Where the list begins inside the array; the part before it is cut off from time to time. */
  #head = 0;
  #bytes = 0;
  /** The list holds every change after this revision. */
  #listedFrom: bigint;
  #oldest: bigint;
  #revision: bigint;
  #ended: { readonly error?: Error } | undefined;
  #progressPending = false;
  /**
   * Each for as long as its watch lasts. A set of those that wait would change with each event, and its discarded versions would
   * keep the events in memory until the next full collection.
   */
  readonly #watchers = new Set<Watcher>();

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#revision = options.revision;
    this.#listedFrom = options.revision;
    this.#oldest = options.oldest;
  }

  get revision(): bigint {
    return this.#revision;
  }

  get oldest(): bigint {
    return this.#oldest;
  }

  /** The list holds every change after this revision. */
  get listedFrom(): bigint {
    return this.#listedFrom;
  }

  /** Whether the changes of a revision, if it had any, are in the list or were in it. */
  has(revision: bigint): boolean {
    if (revision <= this.#listedFrom) return true;
    const last = this.#indexAfter(revision) - 1;
    return last >= this.#head && this.#list[last]!.revision === revision;
  }

  /**
   * Adds committed changes in revision order; watchers of these keys are notified at once, others within a turn of the
   * event loop.
   */
  append(changes: readonly KvChange[], revision: bigint): void {
    // What is new stays until the next changes come, whatever its size: watchers are about to read it.
    const fresh = this.#list.length;
    for (const change of changes) {
      this.#list.push(change);
      this.#bytes += sizeOf(change);
    }
    this.#revision = revision;
    this.#trim(fresh);
    for (const watcher of this.#watchers) {
      if (changes.some((change) => change.key.startsWith(watcher.prefix))) watcher.wake();
      else if (watcher.changesOnly) watcher.pass();
    }
    this.#announceProgress();
  }

  /** Nothing changed under any prefix up to `revision`. */
  advance(revision: bigint): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    for (const watcher of this.#watchers) if (watcher.changesOnly) watcher.pass();
    this.#announceProgress();
  }

  /** Watches from before `oldest` end as compacted. */
  forget(oldest: bigint): void {
    if (oldest <= this.#oldest) return;
    this.#oldest = oldest;
    this.#dropThrough(oldest);
  }

  /** Ends every watch, with an error if one is passed. */
  end(error?: Error): void {
    this.#ended ??= error === undefined ? {} : { error };
    for (const watcher of this.#watchers) watcher.wake();
  }

  /** As Kv.watch. One `next` at a time, as `for await` does it. */
  watch(prefix: string, since: bigint, signal: AbortSignal, options: KvWatchOptions = {}): AsyncIterable<KvEvents> {
    return { [Symbol.asyncIterator]: () => this.#iterate(prefix, since, signal, options.changesOnly === true) };
  }

  /** What comes after `at` for this prefix; undefined: nothing yet. */
  read(prefix: string, at: bigint): KvEvents | Promise<KvEvents> | undefined {
    if (at < this.#oldest) throw new RevisionCompacted(at, this.#oldest);
    if (at >= this.#revision) return undefined;
    if (at < this.#listedFrom) return this.#readOlder(prefix, at);
    const begin = this.#indexAfter(at);
    let end = Math.min(begin + eventChangesMax, this.#list.length);
    // Never half of what was written in one commit.
    while (end < this.#list.length && isTogether(this.#list[end - 1]!, this.#list[end]!)) end += 1;
    const revision = end === this.#list.length ? this.#revision : this.#list[end - 1]!.revision;
    const changes: KvChange[] = [];
    for (let index = begin; index < end; index += 1) {
      const change = this.#list[index]!;
      if (change.key.startsWith(prefix)) changes.push(change);
    }
    return { changes, revision };
  }

  async #readOlder(prefix: string, at: bigint): Promise<KvEvents> {
    const read = this.#options.older;
    if (read === undefined) throw new RevisionCompacted(at, this.#listedFrom);
    const { changes, revision } = await read(at, eventChangesMax);
    return { changes: changes.filter((change) => change.key.startsWith(prefix)), revision };
  }

  #iterate(prefix: string, since: bigint, signal: AbortSignal, changesOnly: boolean): AsyncIterator<KvEvents> {
    let at = since;
    let finished = false;
    let pending: Pending | undefined;
    const done = (): IteratorResult<KvEvents> => {
      finish();
      return { done: true, value: undefined };
    };
    const step = (): IteratorResult<KvEvents> | Promise<IteratorResult<KvEvents>> | undefined => {
      if (finished || signal.aborted) return done();
      if (this.#ended !== undefined) {
        finish();
        if (this.#ended.error !== undefined) throw this.#ended.error;
        return done();
      }
      let events: ReturnType<Feed["read"]>;
      try {
        events = this.read(prefix, at);
      } catch (error) {
        finish();
        throw error;
      }
      if (events === undefined) return undefined;
      if (events instanceof Promise) return events.then(deliver, fail);
      return deliver(events);
    };
    const deliver = (events: KvEvents): IteratorResult<KvEvents> => {
      if (signal.aborted) return done();
      at = events.revision;
      return { done: false, value: events };
    };
    const fail = (error: unknown): never => {
      finish();
      throw error;
    };
    const attempt = ({ resolve, reject }: Pending): boolean => {
      try {
        const result = step();
        if (result === undefined) return false;
        resolve(result);
      } catch (error) {
        reject(error);
      }
      return true;
    };
    const wake = (): void => {
      if (pending !== undefined && attempt(pending)) pending = undefined;
    };
    const pass = (): void => {
      // Who waits has read everything before this.
      if (pending !== undefined) at = this.#revision;
    };
    const watcher: Watcher = { prefix, changesOnly, isWaiting: () => pending !== undefined, wake, pass };
    const finish = (): void => {
      finished = true;
      this.#watchers.delete(watcher);
      signal.removeEventListener("abort", wake);
    };
    return {
      next: () =>
        new Promise((resolve, reject) => {
          const next = { resolve, reject };
          if (attempt(next)) return;
          pending = next;
          if (this.#watchers.has(watcher)) return;
          this.#watchers.add(watcher);
          signal.addEventListener("abort", wake);
        }),
      return: async () => {
        const result = done();
        wake();
        return result;
      },
    };
  }

  /** Every watcher that still waits gets an event without changes, once per turn of the event loop, not once per write. */
  #announceProgress(): void {
    if (this.#progressPending || !this.#hasWaiting()) return;
    this.#progressPending = true;
    setImmediate(() => {
      this.#progressPending = false;
      for (const watcher of this.#watchers) if (!watcher.changesOnly) watcher.wake();
    });
  }

  #hasWaiting(): boolean {
    for (const watcher of this.#watchers) if (!watcher.changesOnly && watcher.isWaiting()) return true;
    return false;
  }

  /** Drops what is too much, but nothing from the index `fresh` on. */
  #trim(fresh: number): void {
    const { changesMax, bytesMax = Number.POSITIVE_INFINITY, older } = this.#options;
    let cut = this.#head;
    while (cut < fresh && (this.#list.length - cut > changesMax || this.#bytes > bytesMax)) {
      this.#bytes -= sizeOf(this.#list[cut]!);
      cut += 1;
    }
    if (cut === this.#head) return;
    this.#listedFrom = this.#list[cut - 1]!.revision;
    // The rest of a revision whose beginning has left the list is useless.
    while (cut < this.#list.length && this.#list[cut]!.revision === this.#listedFrom) {
      this.#bytes -= sizeOf(this.#list[cut]!);
      cut += 1;
    }
    this.#cutAt(cut);
    if (older === undefined && this.#oldest < this.#listedFrom) this.#oldest = this.#listedFrom;
  }

  #dropThrough(revision: bigint): void {
    const cut = this.#indexAfter(revision);
    for (let index = this.#head; index < cut; index += 1) this.#bytes -= sizeOf(this.#list[index]!);
    if (this.#listedFrom < revision) this.#listedFrom = revision;
    this.#cutAt(cut);
  }

  #cutAt(cut: number): void {
    this.#list.fill(undefined, this.#head, cut); // releases the values
    this.#head = cut;
    if (this.#head > 1_000 && this.#head * 2 > this.#list.length) {
      this.#list = this.#list.slice(this.#head);
      this.#head = 0;
    }
  }

  /** The index of the first listed change after `revision`. */
  #indexAfter(revision: bigint): number {
    let low = this.#head;
    let high = this.#list.length;
    // Nearly every watcher is nearly up to date, so look at the end first.
    if (high > low && this.#list[high - 1]!.revision <= revision) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#list[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface Watcher {
  readonly prefix: string;
  /** It is not woken by what does not concern it. */
  readonly changesOnly: boolean;
  isWaiting(): boolean;
  /** Tries again; does nothing if no caller waits or there is still nothing to deliver. */
  wake(): void;
  /** Nothing of what has just been added concerns it. */
  pass(): void;
}

/** A caller of `next` that waits. */
interface Pending {
  resolve(result: IteratorResult<KvEvents> | Promise<IteratorResult<KvEvents>>): void;
  reject(error: unknown): void;
}

/** The changes of one commit, so that they are delivered together. */
export function joined(changes: readonly KvChange[]): readonly KvChange[] {
  return changes.map((change, at) => (at === changes.length - 1 ? change : { ...change, isJoined: true }));
}

/** Whether two neighbours are of one commit. In etcd its changes have one revision. */
function isTogether(change: KvChange, next: KvChange): boolean {
  return change.isJoined === true || change.revision === next.revision;
}

function sizeOf(change: KvChange): number {
  return change.key.length + (change.value?.byteLength ?? 0);
}
