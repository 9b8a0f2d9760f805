/** Metrics about the work queues of controllers. */

import { counter, exponential, gauge, histogram } from "./declare.ts";

const name = ["name"];
const buckets = exponential(1e-8, 10, 10);

export const queueDepth = gauge("workqueue_depth", name, "Keys that wait for a worker.");
export const queueAdds = counter("workqueue_adds_total", name, "Keys that were added.");
export const queueRetries = counter("workqueue_retries_total", name, "Keys that were added again after a failure.");
export const queueWait = histogram(
  "workqueue_queue_duration_seconds",
  name,
  buckets,
  "How long keys waited for a worker, in seconds.",
);
export const queueWork = histogram(
  "workqueue_work_duration_seconds",
  name,
  buckets,
  "How long the work on a key took, in seconds.",
);
export const queueUnfinished = gauge(
  "workqueue_unfinished_work_seconds",
  name,
  "How long the work in progress has taken so far, in seconds, summed over the workers.",
);
export const queueLongest = gauge(
  "workqueue_longest_running_processor_seconds",
  name,
  "How long the work in progress that began first has taken so far, in seconds.",
);
