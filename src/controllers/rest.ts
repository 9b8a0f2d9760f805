/** How long a key rests after a sync that looked at many objects, so that the next one gathers what has changed. */

/** For each object that was looked at: a rest of less than a millisecond, after fewer than twenty, is none. */
const restMsPerObject = 0.05;
/** Of the machine's time. */
export const restMsMax = 100;
/**
 * A machine that has little time left takes long for a status of three lines. There the rest is longer too, so that statuses take a part of
 * the time and not more of it the less there is.
 */
const restPerSync = 2;
export const slowRestMsMax = 1_000;

/** `sizeOf` counts the objects; one that cannot be read is reported by its sync, and needs no rest. */
export function restMsAfter(sizeOf: () => number, syncMs = 0): number {
  try {
    const ofSizeMs = Math.min(sizeOf() * restMsPerObject, restMsMax);
    return ofSizeMs < 1 ? 0 : Math.max(ofSizeMs, Math.min(syncMs * restPerSync, slowRestMsMax));
  } catch {
    return 0;
  }
}

/** How long the last syncs of a queue took. */
export class SyncTimes {
  readonly #isReal: boolean;
  readonly #lastMs = new Map<string, number>();

  /** `isReal`: whether the clock of the server is the machine's; one that is moved by hand does not wait for long rests. */
  constructor(isReal: boolean) {
    this.#isReal = isReal;
  }

  note(key: string, ms: number): void {
    if (this.#isReal) this.#lastMs.set(key, ms);
  }

  /** Each sync counts for one rest. */
  restMs(key: string, sizeOf: () => number): number {
    const lastMs = this.#lastMs.get(key);
    this.#lastMs.delete(key);
    return restMsAfter(sizeOf, lastMs);
  }
}
