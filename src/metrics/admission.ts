/** Metrics about admission plugins and webhooks. */

import { counter, histogram, summary } from "./declare.ts";

const buckets = [0.005, 0.025, 0.1, 0.5, 2.5];
const step = ["operation", "rejected", "type"];

export const pluginDuration = histogram(
  "apiserver_admission_controller_admission_duration_seconds",
  ["name", ...step],
  buckets,
  "How long each admission plugin took, in seconds.",
);

export const stepDuration = histogram(
  "apiserver_admission_step_admission_duration_seconds",
  step,
  buckets,
  "How long all admission plugins of a step took together, in seconds.",
);

export const stepSummary = summary(
  "apiserver_admission_step_admission_duration_seconds_summary",
  step,
  "How long all admission plugins of a step took together, in seconds, as quantiles of the newest values.",
);

export const webhookDuration = histogram(
  "apiserver_admission_webhook_admission_duration_seconds",
  ["name", ...step],
  buckets,
  "How long calls of each admission webhook took, in seconds.",
);

export const webhookRejections = counter(
  "apiserver_admission_webhook_rejection_count",
  ["error_type", "name", "operation", "rejection_code", "type"],
  "Requests that admission webhooks stopped, by cause and status code.",
);
