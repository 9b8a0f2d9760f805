/** The queue of a controller: keys of objects that are reconciled, and tried again with growing delays when that fails. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { WorkQueue } from "../../base/queue/contract.ts";
import { createWorkQueue } from "../../base/queue/work-queue.ts";
import { hasReason } from "../requests/refusals.ts";

/**
 * Not a failure: the controller waits for something, and tries again later.
 * @example
 * throw new TryAgain("waits for its volume");
 */
export class TryAgain extends Error {}

interface ReconcileQueueOptions {
  /** For metrics and logs. */
  readonly name: string;
  readonly workers: number;
  /** See WorkQueue: how many where each key takes long. Default: no more. */
  readonly workersWhenSlow?: number | undefined;
  /** Informers whose copies must be complete before the first key is worked on. */
  readonly after?: readonly { readonly synced: Promise<void> }[] | undefined;
  /** After this many failures in a row the key is dropped until it is added again. Default: never. */
  readonly retriesMax?: number | undefined;
  /** The delay after the first failure, and the longest one. Default: those of the queue. */
  readonly retryMs?: number | undefined;
  readonly retryMsMax?: number | undefined;
  /** How many tries again of all keys together there are. Default: any number. */
  readonly retryLimit?: { readonly perSecond: number; readonly burst: number } | undefined;
  /** See WorkQueue: how long a key rests after its work, of the machine's time. Default: 0. */
  readonly restMs?: ((key: string) => number) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  reconcile(key: string, queue: WorkQueue): Promise<void>;
}

export function createReconcileQueue(options: ReconcileQueueOptions): WorkQueue {
  const { name, workers, after = [], retriesMax = Number.POSITIVE_INFINITY, clock, log } = options;
  const { workersWhenSlow, retryMs, retryMsMax, retryLimit, restMs } = options;
  const queue: WorkQueue = createWorkQueue({
    name,
    clock,
    workers,
    ...(workersWhenSlow === undefined ? {} : { workersWhenSlow }),
    ...(retryMs === undefined ? {} : { retryMs }),
    ...(retryMsMax === undefined ? {} : { retryMsMax }),
    ...(retryLimit === undefined ? {} : { retryLimit }),
    ...(restMs === undefined ? {} : { restMs }),
    ready: Promise.all(after.map(({ synced }) => synced)),
    async work(key) {
      await options.reconcile(key, queue);
      queue.forget(key);
    },
    failed(key, error) {
      if (queue.retries(key) >= retriesMax) {
        log.warn("a controller gave up on an object", { controller: name, object: key, error });
        queue.forget(key);
        return;
      }
      if (error instanceof TryAgain)
        log.debug("a controller waits and tries again", { controller: name, object: key, for: error.message });
      // Another writer was faster: the next state follows.
      else if (hasReason(error, "Conflict"))
        log.debug("an object changed in the meantime", { controller: name, object: key });
      // It was deleted, or its namespace was: the next pass sees that.
      else if (isGone(error, key)) log.debug("an object is gone", { controller: name, object: key });
      else log.warn("a controller failed and tries again", { controller: name, object: key, error });
      queue.addRateLimited(key);
    },
  });
  return queue;
}

/** Whether the server does not have the object of the key any more, or its namespace. */
function isGone(error: unknown, key: string): boolean {
  if (!hasReason(error, "NotFound")) return false;
  const { name, kind } = error.details ?? {};
  const [namespace, object] = key.includes("/") ? key.split("/") : [undefined, key];
  return name !== undefined && (name === object || (kind === "namespaces" && name === namespace));
}
