/** How far the heap of a server grows before V8 collects all of it. */

import { getHeapStatistics, setFlagsFromString } from "node:v8";

/**
 * Left to itself, V8 lets a heap of 60 MB grow by more than 100 MB, and the buffers that garbage refers to stay for as long. The growth
 * has a minimum in bytes, because a part of a small heap fills fast: with 60 % there were three times as many full collections.
 */
const growthBytesMin = 56 * 1024 * 1024;
const growthPercentMin = 80;
const adjustEveryMs = 1_000;

/** What V8 is told about a heap that holds `usedBytes`. */
export function heapGrowthFlag(usedBytes: number): string {
  const percent = Math.max(growthPercentMin, Math.round((100 * growthBytesMin) / usedBytes));
  return `--heap-growing-percent=${percent}`;
}

/**
 * For a process that is a server and has started: V8's flags are those of the whole process, so the library leaves them to its host, and V8
 * refuses compiled code that was kept under other flags.
 */
export function limitHeapGrowth(): void {
  const adjust = () => setFlagsFromString(heapGrowthFlag(getHeapStatistics().used_heap_size));
  setInterval(adjust, adjustEveryMs).unref();
}
