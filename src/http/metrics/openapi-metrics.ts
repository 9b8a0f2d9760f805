/** Counts how often the OpenAPI document was made, and how long that took the last time. */

import { Counter, type Metric } from "../../base/metrics.ts";
import { openApiDuration, openApiRegenerations } from "../../metrics/extensions.ts";

export interface OpenApiMetrics {
  readonly all: readonly Metric[];
  made(durationMs: number): void;
}

export function createOpenApiMetrics(): OpenApiMetrics {
  const count = new Counter(openApiRegenerations);
  const duration = new Counter(openApiDuration);
  return {
    all: [count, duration],
    made(durationMs) {
      count.add();
      duration.set("", durationMs / 1_000);
    },
  };
}
