/** How often each health check passed and failed, and how it went the last time. */

import { Counter, labelKey, type Metric, Reading } from "../../base/metrics.ts";
import { healthCheck, healthChecks } from "../../metrics/health.ts";
import type { HealthEndpoint } from "../contract/health.ts";

interface HealthIndicators {
  readonly all: readonly Metric[];
  note(endpoint: HealthEndpoint, check: string, isWell: boolean): void;
}

export function createHealthIndicators(): HealthIndicators {
  const results = new Counter(healthChecks);
  const latest = new Map<string, number>();
  return {
    all: [new Reading(healthCheck, () => [...latest]), results],
    note(endpoint, check, isWell) {
      latest.set(labelKey(healthCheck.labels, [check, endpoint]), isWell ? 1 : 0);
      results.add(results.labelKey(check, isWell ? "success" : "error", endpoint));
    },
  };
}
