/** Slows down guessing of short secrets: a source that was wrong too often must wait, even with the right secret. */

import type { Clock } from "../base/clock.ts";
import { tooManyRequests } from "../machinery/status/status.ts";

export interface GuessLimit {
  /** Throws 429 when the source has guessed too often within the last minute. An unknown source is never limited. */
  check(source: string | undefined): void;
  /** The source was wrong. */
  count(source: string | undefined): void;
}

interface GuessLimitOptions {
  readonly clock: Clock;
  readonly failuresPerMinute: number;
}

/** The maximum number of remembered sources; the one that failed longest ago is dropped first. */
export const sourcesMax = 10_000;
const windowMs = 60_000;

export function createGuessLimit({ clock, failuresPerMinute }: GuessLimitOptions): GuessLimit {
  const failures = new Map<string, { count: number; sinceMs: number }>();
  return {
    check(source) {
      const known = source ? failures.get(source) : undefined;
      if (known === undefined || known.count < failuresPerMinute) return;
      const leftMs = known.sinceMs + windowMs - clock.monotonic();
      if (leftMs > 0) throw tooManyRequests("too many wrong bootstrap tokens", Math.ceil(leftMs / 1000));
    },
    count(source) {
      if (!source) return;
      const now = clock.monotonic();
      const known = failures.get(source);
      const current = known !== undefined && now - known.sinceMs < windowMs ? known : { count: 0, sinceMs: now };
      failures.delete(source);
      failures.set(source, { ...current, count: current.count + 1 });
      if (failures.size > sourcesMax) failures.delete(failures.keys().next().value!);
    },
  };
}
