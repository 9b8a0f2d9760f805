/** Those who follow logs: they are counted, share one timer, and together get only so much at a time. */

import type { Clock } from "../../base/clock.ts";
import { createSpread, type Spread } from "../../base/spread.ts";

/** Logs that are followed at once, of all simulated nodes of a process; further requests are refused. */
export const followersMax = 256;
/** How often they look for more. */
const followEveryMs = 200;
/** Bytes that all of them get together at each look; a log that grows faster is shown with gaps. */
export const followBytesMax = 256 * 1024;

/** Pieces of logs that all clients are sent in one turn of the event loop: two hundred who begin together get a megabyte each. */
export const piecesAtOnceMax = 8;

export class TooManyFollowers extends Error {}

export class LogFollowers {
  readonly #clock: Clock;
  /** Before each piece of what a log holds when it is asked for. */
  readonly beforePiece: Spread = createSpread(piecesAtOnceMax);
  #count = 0;
  /** Those that wait for the next look. */
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws TooManyFollowers. The returned function ends it. */
  begin(): () => void {
    if (this.#count >= followersMax) throw new TooManyFollowers(`at most ${followersMax} logs can be followed at once`);
    this.#count++;
    let isOver = false;
    return () => {
      if (!isOver) this.#count--;
      isOver = true;
    };
  }

  /** The next look; resolves with how many bytes this follower may send then. Rejects when the signal aborts. */
  next(signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.push(() => {
        signal.removeEventListener("abort", stop);
        resolve(Math.floor(followBytesMax / this.#count));
      });
      if (this.#waiting.length === 1) this.#clock.after(followEveryMs, () => this.#look());
    });
  }

  #look(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}
