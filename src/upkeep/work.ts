/** Work on objects by name: the work queue of controllers, with the limits of a loop inside the server. */

import type { Clock } from "../base/clock.ts";
import type { WorkQueue } from "../base/queue/contract.ts";
import { createWorkQueue } from "../base/queue/work-queue.ts";

/** Keys that are processed at once; one change may affect thousands. */
export const keysAtOnceMax = 16;
const retryMs = 100;
const retryMsMax = 30_000;

interface WorkOptions {
  readonly name: string;
  readonly clock: Clock;
  /** Reconciles the object of the key; called again after a failure. */
  work(key: string): Promise<void>;
  failed(key: string, error: unknown): void;
}

export function createWork({ name, clock, work, failed }: WorkOptions): WorkQueue {
  const queue: WorkQueue = createWorkQueue({
    name,
    clock,
    workers: keysAtOnceMax,
    retryMs,
    retryMsMax,
    async work(key) {
      await work(key);
      queue.forget(key);
    },
    failed(key, error) {
      failed(key, error);
      queue.addRateLimited(key);
    },
  });
  return queue;
}
