/** A queue of keys with workers: each key once, never two workers on one key, delays, and growing back-off after failures. */

import type { Clock } from "../clock.ts";
import { TimeSlice } from "../time-slice.ts";
import { createTokenBucket } from "../token-bucket.ts";
import type { WorkQueue } from "./contract.ts";
import { createQueueStats, observe } from "./stats.ts";

interface WorkQueueOptions {
  readonly name: string;
  readonly clock: Clock;
  /** How many keys are worked on at once. */
  readonly workers: number;
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
}

/** As v1.21's default: 5 ms, doubled by each failure, up to 1000 s. */
export const queueRetryMs = 5;
const queueRetryMsMax = 1_000_000;

/*
 * add(a), add(a)           waiting: a              one worker takes a
 * add(a) meanwhile         running: a, again: a    no second worker begins on a
 * the worker ends          waiting: a              a is worked on once more
 */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, retryMs = queueRetryMs, retryMsMax = queueRetryMsMax } = options;
  /** In order, with when each was added. */
  const waiting = new Map<string, number>();
  const running = new Map<string, Promise<void>>();
  const again = new Set<string>();
  const failures = new Map<string, number>();
  const delayed = new Map<string, { readonly at: number; cancel(): void }>();
  const stats = createQueueStats(options.name);
  const slice = new TimeSlice();
  const bucket = options.retryLimit && createTokenBucket(options.retryLimit, clock.monotonic());
  let ready = options.ready === undefined;
  let closed = false;

  const begin = (): void => {
    if (!ready || closed) return;
    for (const [key, addedAt] of waiting) {
      if (running.size >= options.workers) return;
      waiting.delete(key);
      stats.depth = waiting.size;
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
      if (!closed) await options.work(key);
    } catch (error) {
      if (closed) return;
      if (options.failed) options.failed(key, error, queue);
      else queue.addRateLimited(key);
    } finally {
      observe(stats.workedSeconds, (clock.monotonic() - startedAt) / 1_000);
      stats.running.delete(key);
      running.delete(key);
      if (again.delete(key)) queue.add(key);
      else begin();
    }
  };

  const queue: WorkQueue = {
    stats,
    get depth() {
      return waiting.size;
    },
    add(key) {
      if (closed) return;
      if (running.has(key)) {
        again.add(key);
        return;
      }
      if (!waiting.has(key)) {
        waiting.set(key, clock.monotonic());
        stats.adds++;
        stats.depth = waiting.size;
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
      for (const { cancel } of delayed.values()) cancel();
      await Promise.all(running.values());
    },
  };
  void options.ready?.then(() => {
    ready = true;
    begin();
  });
  return queue;
}

/** The maximum delay of Node's timers; a key with a longer delay is checked once in between. */
const timerMsMax = 2 ** 31 - 1;
