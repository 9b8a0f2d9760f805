/** The resource use of the process itself. */

import type { Metric } from "../../base/metrics.ts";
import { Reading } from "../../base/metrics.ts";

const startedSeconds = Date.now() / 1_000 - process.uptime();

export const processMetrics: readonly Metric[] = [
  new Reading("process_cpu_seconds_total", "Processor time used.", "counter", () => {
    const { user, system } = process.cpuUsage();
    return [["", (user + system) / 1e6]];
  }),
  new Reading("process_resident_memory_bytes", "Memory in use.", "gauge", () => [["", process.memoryUsage.rss()]]),
  new Reading("process_start_time_seconds", "When the process began.", "gauge", () => [["", startedSeconds]]),
];
