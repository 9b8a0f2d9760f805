/** What /metrics tells of the queues of controllers, under v1.21's names. */

import type { Metric } from "../base/metrics.ts";
import { type Histogram, type QueueStats, queueBucketsSeconds } from "../client/queue/contract.ts";

/** Queues come when controllers start, so they are asked for each time. */
export function queueMetrics(stats: () => readonly QueueStats[], nowMs: () => number): readonly Metric[] {
  const runningSeconds = ({ running }: QueueStats) => [...running.values()].map((since) => (nowMs() - since) / 1_000);
  return [
    numbers("workqueue_depth", "gauge", "Keys that wait for a worker", stats, ({ depth }) => depth),
    numbers("workqueue_adds_total", "counter", "Keys that were added", stats, ({ adds }) => adds),
    numbers("workqueue_retries_total", "counter", "Keys that were tried again", stats, ({ retries }) => retries),
    numbers("workqueue_unfinished_work_seconds", "gauge", "How long the work under way has taken", stats, (each) =>
      runningSeconds(each).reduce((sum, seconds) => sum + seconds, 0),
    ),
    numbers("workqueue_longest_running_processor_seconds", "gauge", "How long the longest has taken", stats, (each) =>
      Math.max(0, ...runningSeconds(each)),
    ),
    histograms("workqueue_queue_duration_seconds", "How long keys waited", stats, ({ waitedSeconds }) => waitedSeconds),
    histograms(
      "workqueue_work_duration_seconds",
      "How long the work took",
      stats,
      ({ workedSeconds }) => workedSeconds,
    ),
  ];
}

const head = (name: string, type: string, help: string) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

function numbers(
  name: string,
  type: "counter" | "gauge",
  help: string,
  stats: () => readonly QueueStats[],
  of: (stats: QueueStats) => number,
): Metric {
  return {
    text: () =>
      head(name, type, help) +
      stats()
        .map((each) => `${name}{name="${each.name}"} ${of(each)}\n`)
        .join(""),
  };
}

function histograms(
  name: string,
  help: string,
  stats: () => readonly QueueStats[],
  of: (stats: QueueStats) => Histogram,
): Metric {
  return {
    text: () =>
      head(name, "histogram", help) +
      stats()
        .map((each) => lines(name, each.name, of(each)))
        .join(""),
  };
}

function lines(name: string, queue: string, { counts, sum, count }: Histogram): string {
  let text = "";
  let below = 0;
  for (const [at, bound] of queueBucketsSeconds.entries()) {
    below += counts[at] ?? 0;
    text += `${name}_bucket{name="${queue}",le="${bound}"} ${below}\n`;
  }
  text += `${name}_bucket{name="${queue}",le="+Inf"} ${count}\n`;
  return `${text}${name}_sum{name="${queue}"} ${sum}\n${name}_count{name="${queue}"} ${count}\n`;
}
