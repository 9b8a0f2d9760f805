/** Which writes share one flush, and how much disk space they take. */

import type { KvWrite } from "../contract.ts";
import { type CommitWrites, noWrites } from "./decide.ts";

/** How many writes and bytes share one flush at most; more wait for the next one. */
export const batchWritesMax = 1_000;
export const batchBytesMax = 16 * 1024 * 1024;
/** Writes are refused while the disk has less than this: the other users of the disk need space too. */
export const reserveBytes = 16 * 1024 * 1024;
/** How many changes of expired history are removed along with one flush: a pause of a few milliseconds at most. */
export const sweepStepMax = 250;

/** Takes the next batch off the queue; a write larger than a batch goes alone. */
export function takeBatch<T extends CommitWrites>(queue: T[]): T[] {
  let bytes = 0;
  let writes = 0;
  let count = 0;
  for (const { value, others = noWrites } of queue) {
    bytes += value?.byteLength ?? 0;
    for (const other of others) bytes += other.value?.byteLength ?? 0;
    writes += 1 + others.length;
    if (count > 0 && (writes > batchWritesMax || bytes > batchBytesMax)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** Pages are copied to be changed: allow for so many bytes of them for each write, and for as many without any. */
const touchedBytesPerWrite = 8_192;
const touchedBytesMin = 40_960;

/** What is known of a write that needs space. */
type GrowingWrite = Pick<CommitWrites, "key" | "value" | "note" | "others">;

/** How many bytes the data file may grow by when the batch is committed, so many versions are swept, and so many bytes move. */
export function growthOf(batch: readonly GrowingWrite[], swept: number, moved = 0): number {
  let bytes = touchedBytesMin + moved * 2;
  for (const commit of batch) {
    bytes += growthOfWrite(commit);
    for (const other of commit.others ?? noWrites) bytes += growthOfWrite(other);
  }
  return bytes + swept * touchedBytesPerWrite;
}

/** Values fill whole pages; keys are in the log, in the index, and again in the branch pages above those. */
const growthOfWrite = ({ key, value, note }: Pick<KvWrite, "key" | "value" | "note">): number => {
  const bytes = touchedBytesPerWrite + (value?.byteLength ?? 0) * 2 + key.length * 8;
  return note === undefined ? bytes : bytes + touchedBytesPerWrite + note.byteLength * 2 + key.length * 2;
};
