/** Metrics about health checks. They have a path of their own, /metrics/slis, which may be read more often than /metrics. */

import { counter, gauge } from "./declare.ts";

export const healthCheck = gauge(
  "orch_healthcheck",
  ["name", "type"],
  "The latest result of a health check: 1 if it passed, 0 if it failed.",
  { stability: "STABLE" },
);

export const healthChecks = counter(
  "orch_healthchecks_total",
  ["name", "status", "type"],
  "Results of health checks.",
  { stability: "STABLE" },
);
