/**
 * Spreads work that comes in bursts over turns of the event loop, so that others are served in between. Unlike a time slice, which
 * divides one long piece of work, this is for many pieces of about a millisecond that begin together.
 */

import { inNextTurn } from "./turns.ts";

/** Returns nothing if the caller may begin at once, or a promise that resolves in the turn in which it may. First come, first served. */
export type Spread = () => Promise<void> | undefined;

/** No other caller begins in a turn that has worked for this long. What has begun is not interrupted. */
export const spreadTurnMs = 10;

/** Taken when this file is loaded, as `inNextTurn` is. */
const elapsedMs = performance.now.bind(performance);

/** At most `atOnceMax` callers begin in one turn, and fewer if what they do takes long. */
export function createSpread(atOnceMax: number, now = elapsedMs): Spread {
  const waiting: (() => void)[] = [];
  let begun = 0;
  let beganMs = 0;
  let scheduled = 0;
  const mayBegin = () => begun === 0 || (begun < atOnceMax && now() - beganMs < spreadTurnMs);
  const count = () => {
    if (begun++ > 0) return;
    beganMs = now();
    inNextTurn(() => {
      begun = 0;
    });
  };
  // Node runs everything that one immediate begins before the next immediate, so each of them sees how long the turn is by then.
  const beginLater = () => {
    for (; scheduled < Math.min(atOnceMax, waiting.length); scheduled++) inNextTurn(beginFirst);
  };
  const beginFirst = () => {
    scheduled--;
    if (mayBegin()) {
      count();
      waiting.shift()?.();
    }
    beginLater();
  };
  return () => {
    if (waiting.length === 0 && mayBegin()) {
      count();
      return undefined;
    }
    return new Promise((resolve) => {
      waiting.push(resolve);
      beginLater();
    });
  };
}
