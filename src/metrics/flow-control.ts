/** Metrics about priority and fairness. Their labels are names of objects, never what a request says. */

import { counter, gauge, histogram } from "./declare.ts";

const flow = ["flow_schema", "priority_level"];
const durations = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];
const fractions = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

export const dispatchedRequests = counter(
  "apiserver_flowcontrol_dispatched_requests_total",
  flow,
  "Requests that began to execute.",
);

export const rejectedRequests = counter(
  "apiserver_flowcontrol_rejected_requests_total",
  [...flow, "reason"],
  "Requests that were refused, by reason.",
);

export const inQueueRequests = gauge(
  "apiserver_flowcontrol_current_inqueue_requests",
  flow,
  "Requests that wait in queues.",
);

export const executingRequests = gauge(
  "apiserver_flowcontrol_current_executing_requests",
  flow,
  "Requests that are being executed.",
);

export const concurrencyLimit = gauge(
  "apiserver_flowcontrol_request_concurrency_limit",
  ["priority_level"],
  "Requests of a level that may execute at once.",
);

export const queueLength = histogram(
  "apiserver_flowcontrol_request_queue_length_after_enqueue",
  flow,
  [0, 10, 25, 50, 100, 250, 500, 1_000],
  "How many requests the queue of a request held, including the request itself.",
);

export const waitDuration = histogram(
  "apiserver_flowcontrol_request_wait_duration_seconds",
  ["execute", ...flow],
  durations,
  "How long requests waited, in seconds, and whether they were executed then.",
);

export const executionDuration = histogram(
  "apiserver_flowcontrol_request_execution_seconds",
  flow,
  durations,
  "How long requests took to execute, in seconds.",
);

export const inQueueByKind = gauge(
  "apiserver_current_inqueue_requests",
  ["request_kind"],
  "Reading and changing requests that wait in queues.",
);

const samplesHelp = "The number of requests as a share of the limit, sampled every millisecond.";
const watermarksHelp = "The highest and the lowest number of requests between two samples, as a share of the limit.";

export const levelSamples = histogram(
  "apiserver_flowcontrol_priority_level_request_count_samples",
  ["phase", "priority_level"],
  fractions,
  samplesHelp,
);

export const levelWatermarks = histogram(
  "apiserver_flowcontrol_priority_level_request_count_watermarks",
  ["mark", "phase", "priority_level"],
  fractions,
  watermarksHelp,
);

export const kindSamples = histogram(
  "apiserver_flowcontrol_read_vs_write_request_count_samples",
  ["phase", "request_kind"],
  fractions,
  samplesHelp,
);

export const kindWatermarks = histogram(
  "apiserver_flowcontrol_read_vs_write_request_count_watermarks",
  ["mark", "phase", "request_kind"],
  fractions,
  watermarksHelp,
);
