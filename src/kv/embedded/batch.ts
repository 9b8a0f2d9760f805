/** Which writes share one flush, and how much room on the disk they take. */

import type { Write } from "./decide.ts";

/** How many writes and bytes share one flush at most; more wait for the next one. */
export const batchWritesMax = 1_000;
export const batchBytesMax = 16 * 1024 * 1024;
/** Writes are refused while the disk has less than this: LMDB does not survive being told by the system. */
export const reserveBytes = 16 * 1024 * 1024;
/** How many changes of expired history are removed along with one flush: a pause of a few milliseconds at most. */
export const sweepStepMax = 250;

/** Takes the next batch off the queue; a write larger than a batch goes alone. */
export function takeBatch(queue: Write[]): Write[] {
  let bytes = 0;
  let count = 0;
  for (const write of queue) {
    bytes += write.value?.byteLength ?? 0;
    if (count > 0 && (count >= batchWritesMax || bytes > batchBytesMax)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** How many bytes the disk must have left for the batch and a step of sweeping. */
export function bytesNeeded(batch: readonly Write[]): number {
  let bytes = 0;
  for (const write of batch) bytes += write.value?.byteLength ?? 0;
  // Pages are copied to be changed: allow for a page of the index and one of the log beside each value.
  return reserveBytes + bytes * 2 + (batch.length + sweepStepMax) * 8_192;
}
