/** Counts what happens in a queue, for /metrics. */

import { type QueueHistogram, type QueueStats, queueBucketsSeconds } from "./contract.ts";

export function createQueueStats(name: string): QueueStats {
  return {
    name,
    depth: 0,
    adds: 0,
    retries: 0,
    retrying: new Set(),
    running: new Map(),
    waitedSeconds: createHistogram(),
    workedSeconds: createHistogram(),
  };
}

function createHistogram(): QueueHistogram {
  return { counts: new Array<number>(queueBucketsSeconds.length + 1).fill(0), sum: 0, count: 0 };
}

export function observe(histogram: QueueHistogram, seconds: number): void {
  let at = queueBucketsSeconds.findIndex((bound) => seconds <= bound);
  if (at < 0) at = queueBucketsSeconds.length;
  histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
  histogram.sum += seconds;
  histogram.count++;
}
