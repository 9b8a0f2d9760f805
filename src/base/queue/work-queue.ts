/** A queue of keys with workers: each key once, never two workers on one key, delays, and growing back-off after failures. */

import { type Clock, systemClock } from "../clock.ts";
import { KeyedFifo } from "../keyed-fifo.ts";
import { beforeLongStep, TimeSlice } from "../time-slice.ts";
import { createTokenBucket, type TokenBucket } from "../token-bucket.ts";
import type { QueueStats, WorkQueue } from "./contract.ts";
import { Rests } from "./rests.ts";
import { createQueueStats, observe } from "./stats.ts";
import { WorkPace } from "./work-pace.ts";

interface WorkQueueOptions {
  readonly name: string;
  readonly clock: Clock;
  /** How many keys are worked on at once. */
  readonly workers: number;
  /**
   * How many where work takes long, because it waits for a store or a machine that has little time: as much is then done at once as in the
   * same time elsewhere. Default: no more.
   */
  readonly workersWhenSlow?: number;
  /** Nothing is worked on before it resolves. */
  readonly ready?: Promise<unknown>;
  /** Reconciles the object of the key. */
  work(key: string): Promise<void>;
  /** What to do about a key whose work failed. Default: try again with back-off. */
  failed?(key: string, error: unknown, queue: WorkQueue): void;
  readonly retryMs?: number;
  readonly retryMsMax?: number;
  /** How many keys of the queue are added rate limited: `burst` at once, and `perSecond` in the long run. Default: any number. */
  readonly retryLimit?: { readonly perSecond: number; readonly burst: number };
  /**
   * How long a key rests after its work, in milliseconds of the machine: added meanwhile, it waits until the rest is over, and is worked
   * on once for all that happened. Default: 0.
   */
  restMs?(key: string): number;
  /** The clock of rests, which save work and are not part of what an object's owner can observe. Default: the system's. */
  readonly restClock?: Clock;
}

/** As v1.21's default: 5 ms, doubled by each failure, up to 1000 s. */
export const queueRetryMs = 5;
const queueRetryMsMax = 1_000_000;

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyQueue(options);
}

/*
 * add(a), add(a)           waiting: a              one worker takes a
 * add(a) meanwhile         running: a, again: a    no second worker begins on a
 * the worker ends          waiting: a              a is worked on once more
 * with a rest: it ends     resting: a, held: a     others may be worked on
 * the rest is over         waiting: a              a is worked on once more
 */
class KeyQueue implements WorkQueue {
  readonly stats: QueueStats;
  readonly #options: WorkQueueOptions;
  /** In order, with when each was added. */
  readonly #waiting = new KeyedFifo<number>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  readonly #rests: Rests;
  readonly #failures = new Map<string, number>();
  readonly #delayed = new Map<string, { readonly at: number; cancel(): void }>();
  readonly #slice = new TimeSlice();
  readonly #bucket: TokenBucket | undefined;
  readonly #pace: WorkPace;
  #isReady: boolean;
  #isClosed = false;

  constructor(options: WorkQueueOptions) {
    const { clock, retryLimit, restClock = systemClock } = options;
    this.#options = options;
    this.stats = createQueueStats(options.name);
    this.#bucket = retryLimit && createTokenBucket(retryLimit, clock.monotonic());
    this.#pace = new WorkPace(options.workers, options.workersWhenSlow);
    this.#rests = new Rests(restClock, (key, addedAt) => {
      this.#waiting.add(key, addedAt);
      this.#begin();
    });
    this.#isReady = options.ready === undefined;
    options.ready?.then(
      () => {
        this.#isReady = true;
        this.#begin();
      },
      () => undefined, // the caller handles it; the queue never begins
    );
  }

  get depth(): number {
    return this.stats.depth;
  }

  get dueInMs(): number | undefined {
    let first: number | undefined;
    for (const { at } of this.#delayed.values()) if (first === undefined || at < first) first = at;
    return first === undefined ? undefined : Math.max(0, first - this.#options.clock.monotonic());
  }

  add(key: string): void {
    if (this.#isClosed) return;
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    const rests = this.#rests.has(key);
    if (!(rests ? this.#rests.held : this.#waiting).has(key)) {
      const now = this.#options.clock.monotonic();
      if (rests) this.#rests.held.set(key, now);
      else this.#waiting.add(key, now);
      this.stats.adds++;
      this.#countDepth();
    }
    this.#begin();
  }

  addAfter(key: string, ms: number): void {
    if (this.#isClosed) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const at = this.#options.clock.monotonic() + ms;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = this.#options.clock.after(Math.min(ms, timerMsMax), () => {
      this.#delayed.delete(key);
      this.stats.retrying.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { at, cancel });
  }

  addRateLimited(key: string): void {
    const { clock, retryMs = queueRetryMs, retryMsMax = queueRetryMsMax } = this.#options;
    const count = this.retries(key);
    this.#failures.set(key, count + 1);
    this.stats.retries++;
    if (!this.#isClosed) this.stats.retrying.add(key);
    const sharedMs = this.#bucket?.reserve(clock.monotonic()) ?? 0;
    this.addAfter(key, Math.max(sharedMs, Math.min(retryMs * 2 ** count, retryMsMax)));
  }

  retries(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    this.#rests.close();
    for (const { cancel } of this.#delayed.values()) cancel();
    await Promise.all(this.#running.values());
  }

  #countDepth(): void {
    this.stats.depth = this.#waiting.size + this.#rests.held.size;
  }

  #begin(): void {
    if (!this.#isReady || this.#isClosed) return;
    while (this.#running.size < this.#pace.workers) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      const [key, addedAt] = next;
      this.#countDepth();
      const startedAt = this.#options.clock.monotonic();
      observe(this.stats.waitedSeconds, (startedAt - addedAt) / 1_000);
      this.stats.running.set(key, startedAt);
      this.#running.set(key, this.#run(key, startedAt));
    }
  }

  async #run(key: string, startedAt: number): Promise<void> {
    const options = this.#options;
    try {
      // Not synchronously: the code that adds a key may be in the middle of notifying others of a change.
      await Promise.resolve();
      if (this.#slice.isLong) await this.#slice.next();
      const turn = beforeLongStep();
      if (turn !== undefined) await turn;
      if (this.#isClosed) return;
      const workedMs = performance.now();
      await options.work(key);
      this.#pace.note(performance.now() - workedMs);
    } catch (error) {
      if (this.#isClosed) return;
      if (options.failed) options.failed(key, error, this);
      else this.addRateLimited(key);
    } finally {
      observe(this.stats.workedSeconds, (options.clock.monotonic() - startedAt) / 1_000);
      this.stats.running.delete(key);
      this.#running.delete(key);
      if (!this.#isClosed) this.#rests.begin(key, options.restMs?.(key) ?? 0);
      if (this.#again.delete(key)) this.add(key);
      this.#begin();
    }
  }
}

/** The maximum delay of Node's timers; a key with a longer delay is checked once in between. */
const timerMsMax = 2 ** 31 - 1;
