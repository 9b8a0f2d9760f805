/** How soon a failed daemon pod may be replaced: an agent that refuses it would get it again and again. */

import type { Clock } from "../../base/clock.ts";

const failedPodBackoffMs = 1_000;
const failedPodBackoffMsMax = 15 * 60_000;

interface FailedPods {
  /** 0: now, and later the next time; otherwise the delay in milliseconds. `key`: set and node. */
  waitMs(key: string): number;
}

export function createFailedPods(clock: Pick<Clock, "monotonic">): FailedPods {
  const known = new Map<string, { readonly atMs: number; readonly delayMs: number }>();
  return {
    waitMs(key) {
      const nowMs = clock.monotonic();
      const last = known.get(key);
      if (last !== undefined && nowMs < last.atMs + last.delayMs) return last.atMs + last.delayMs - nowMs;
      // Long after the last failure the delay starts again.
      const isOver = last === undefined || nowMs - last.atMs > 2 * failedPodBackoffMsMax;
      const delayMs = isOver ? failedPodBackoffMs : Math.min(last.delayMs * 2, failedPodBackoffMsMax);
      known.set(key, { atMs: nowMs, delayMs });
      if (known.size > keysMax)
        for (const [old, { atMs }] of known) if (nowMs - atMs > 2 * failedPodBackoffMsMax) known.delete(old);
      return 0;
    },
  };
}

/** With more entries than this, expired ones are dropped. */
const keysMax = 10_000;
