/** Tries a change again when another writer was faster. */

import { able, anObject, checkOptions, count } from "../../base/check-options.ts";
import { type Clock, holdingClock, sleep } from "../../base/clock.ts";
import { isConflict } from "./refusals.ts";

/**
 * How often and how long a change is tried again.
 * @example
 * await retryOnConflict(change, { attempts: 20, signal });
 */
export interface RetryOptions {
  /** How often `change` is called at most. Default: 5. */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

/** The delay after the first conflict; doubled by each further one. */
const conflictDelayMs = 10;

/**
 * `change` must read the object again each time: the state that it read before is what led to the conflict.
 * @example
 * await retryOnConflict(async () => maps.update({ ...(await maps.get("counter")), data: { n: "2" } }));
 */
export async function retryOnConflict<T>(change: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  checkOptions("retryOnConflict", options, {
    attempts: count(1),
    signal: anObject,
    clock: able("now", "monotonic", "after"),
  });
  const { attempts = 5, signal, clock = holdingClock } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
      await sleep(clock, conflictDelayMs * 2 ** (attempt - 1), signal);
    }
  }
}
