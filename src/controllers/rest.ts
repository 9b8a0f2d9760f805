/** How long a key rests after a sync that looked at many objects, so that the next one gathers what has changed. */

/** For each object that was looked at: a rest of less than a millisecond, after fewer than twenty, is none. */
const restMsPerObject = 0.05;
/** Of the machine's time. */
export const restMsMax = 100;

/** `sizeOf` counts the objects; one that cannot be read is reported by its sync, and needs no rest. */
export function restMsAfter(sizeOf: () => number): number {
  try {
    return Math.min(sizeOf() * restMsPerObject, restMsMax);
  } catch {
    return 0;
  }
}
