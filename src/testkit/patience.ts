/** How long a wait may last: by real time, but for the time in which other programs had the processor. */

import { readFileSync } from "node:fs";

/** However busy the machine is, a wait ends after so many times what it was given. */
const timesMax = 12;

/** What a wait measures, in milliseconds. */
interface Readings {
  now(): number;
  /** How long this thread was ready to work and did not get the processor, since some moment. Undefined: the machine does not tell. */
  waited(): number | undefined;
}

const readings: Readings = { now: () => performance.now(), waited: runQueueMs };

export class Patience {
  readonly #timeoutMs: number;
  readonly #readings: Readings;
  readonly #beganMs: number;
  readonly #waitedMs: number;

  constructor(timeoutMs: number, read = readings) {
    this.#timeoutMs = timeoutMs;
    this.#readings = read;
    this.#beganMs = read.now();
    this.#waitedMs = read.waited() ?? 0;
  }

  /** 0 or less: it is over. */
  leftMs(): number {
    const passedMs = this.#readings.now() - this.#beganMs;
    const leftMs = this.#timeoutMs - passedMs;
    // Most waits end long before, and need to look at nothing else.
    if (leftMs > 0) return leftMs;
    const lentMs = (this.#readings.waited() ?? this.#waitedMs) - this.#waitedMs;
    return Math.min(leftMs + lentMs, this.#timeoutMs * timesMax - passedMs);
  }
}

/** Only Linux tells. */
function runQueueMs(): number | undefined {
  try {
    const [, waitedNs] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ");
    return waitedNs === undefined ? undefined : Number(waitedNs) / 1e6;
  } catch {
    return undefined;
  }
}
