/** A queue of keys with workers: each key once, never two workers on one key, delays, and growing back-off after failures. */

import { type Clock, systemClock } from "../clock.ts";
import { beforeLongStep, TimeSlice } from "../time-slice.ts";
import { createTokenBucket } from "../token-bucket.ts";
import type { WorkQueue } from "./contract.ts";
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

/*
 * add(a), add(a)           waiting: a              one worker takes a
 * add(a) meanwhile         running: a, again: a    no second worker begins on a
 * the worker ends          waiting: a              a is worked on once more
 * with a rest: it ends     resting: a, held: a     others may be worked on
 * the rest is over         waiting: a              a is worked on once more
 */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, retryMs = queueRetryMs, retryMsMax = queueRetryMsMax, restClock = systemClock } = options;
  /** In order, with when each was added. */
  const waiting = new Map<string, number>();
  const running = new Map<string, Promise<void>>();
  const again = new Set<string>();
  /** Keys that rest, with what cancels the timer; and those of them that were added meanwhile, with when. */
  const resting = new Map<string, () => void>();
  const held = new Map<string, number>();
  const failures = new Map<string, number>();
  const delayed = new Map<string, { readonly at: number; cancel(): void }>();
  const stats = createQueueStats(options.name);
  const slice = new TimeSlice();
  const bucket = options.retryLimit && createTokenBucket(options.retryLimit, clock.monotonic());
  const pace = new WorkPace(options.workers, options.workersWhenSlow);
  let ready = options.ready === undefined;
  let closed = false;

  const countDepth = (): void => {
    stats.depth = waiting.size + held.size;
  };

  const rest = (key: string): void => {
    const ms = closed ? 0 : (options.restMs?.(key) ?? 0);
    if (ms < 1) return;
    const over = () => {
      resting.delete(key);
      const addedAt = held.get(key);
      if (addedAt === undefined) return;
      held.delete(key);
      waiting.set(key, addedAt);
      begin();
    };
    resting.set(key, restClock.after(ms, over));
  };

  const begin = (): void => {
    if (!ready || closed) return;
    for (const [key, addedAt] of waiting) {
      if (running.size >= pace.workers) return;
      waiting.delete(key);
      countDepth();
      const startedAt = clock.monotonic();
      observe(stats.waitedSeconds, (startedAt - addedAt) / 1_000);
      stats.running.set(key, startedAt);
      running.set(key, run(key, startedAt));
    }
  };

  const run = async (key: string, startedAt: number): Promise<void> => {
    try {
      // Not synchronously: the code that adds a key may be in the middle of notifying others of a change.
      await Promise.resolve();
      if (slice.isLong) await slice.next();
      const turn = beforeLongStep();
      if (turn !== undefined) await turn;
      if (closed) return;
      const workedMs = performance.now();
      await options.work(key);
      pace.note(performance.now() - workedMs);
    } catch (error) {
      if (closed) return;
      if (options.failed) options.failed(key, error, queue);
      else queue.addRateLimited(key);
    } finally {
      observe(stats.workedSeconds, (clock.monotonic() - startedAt) / 1_000);
      stats.running.delete(key);
      running.delete(key);
      rest(key);
      if (again.delete(key)) queue.add(key);
      begin();
    }
  };

  const queue: WorkQueue = {
    stats,
    get depth() {
      return stats.depth;
    },
    add(key) {
      if (closed) return;
      if (running.has(key)) {
        again.add(key);
        return;
      }
      const added = resting.has(key) ? held : waiting;
      if (!added.has(key)) {
        added.set(key, clock.monotonic());
        stats.adds++;
        countDepth();
      }
      begin();
    },
    addAfter(key, ms) {
      if (closed) return;
      if (ms <= 0) return queue.add(key);
      const at = clock.monotonic() + ms;
      const known = delayed.get(key);
      if (known !== undefined && known.at <= at) return;
      known?.cancel();
      const cancel = clock.after(Math.min(ms, timerMsMax), () => {
        delayed.delete(key);
        stats.retrying.delete(key);
        queue.add(key);
      });
      delayed.set(key, { at, cancel });
    },
    addRateLimited(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      stats.retries++;
      if (!closed) stats.retrying.add(key);
      const sharedMs = bucket?.reserve(clock.monotonic()) ?? 0;
      queue.addAfter(key, Math.max(sharedMs, Math.min(retryMs * 2 ** count, retryMsMax)));
    },
    retries: (key) => failures.get(key) ?? 0,
    forget(key) {
      failures.delete(key);
    },
    async close() {
      closed = true;
      waiting.clear();
      held.clear();
      for (const cancel of resting.values()) cancel();
      for (const { cancel } of delayed.values()) cancel();
      await Promise.all(running.values());
    },
  };
  options.ready?.then(
    () => {
      ready = true;
      begin();
    },
    () => undefined, // the caller handles it; the queue never begins
  );
  return queue;
}

/** The maximum delay of Node's timers; a key with a longer delay is checked once in between. */
const timerMsMax = 2 ** 31 - 1;
