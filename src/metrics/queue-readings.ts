/** The readings of work queues, under v1.21's names. */

import {
  head,
  histogramLines,
  labelKey,
  type Metric,
  type MetricDeclaration,
  Reading,
  type Series,
} from "../base/metrics.ts";
import type { QueueStats } from "../base/queue/contract.ts";
import {
  queueAdds,
  queueDepth,
  queueLongest,
  queueRetries,
  queueUnfinished,
  queueWait,
  queueWork,
} from "./work-queues.ts";

/** Queues are created when controllers start, so they are listed each time. */
export function queueMetrics(stats: () => readonly QueueStats[], nowMs: () => number): readonly Metric[] {
  const runningSeconds = ({ running }: QueueStats) => [...running.values()].map((since) => (nowMs() - since) / 1_000);
  const numbers = (declaration: MetricDeclaration, of: (stats: QueueStats) => number) =>
    new Reading(declaration, () => stats().map((each) => [keyOf(each), of(each)] as const));
  return [
    numbers(queueDepth, ({ depth }) => depth),
    numbers(queueAdds, ({ adds }) => adds),
    numbers(queueRetries, ({ retries }) => retries),
    numbers(queueUnfinished, (each) => runningSeconds(each).reduce((sum, seconds) => sum + seconds, 0)),
    numbers(queueLongest, (each) => Math.max(0, ...runningSeconds(each))),
    histograms(queueWait, stats, ({ waitedSeconds }) => waitedSeconds),
    histograms(queueWork, stats, ({ workedSeconds }) => workedSeconds),
  ];
}

const keyOf = ({ name }: QueueStats) => labelKey(["name"], [name]);

function histograms(
  declaration: MetricDeclaration,
  stats: () => readonly QueueStats[],
  of: (stats: QueueStats) => Series,
): Metric {
  const { buckets = [] } = declaration;
  return {
    declaration,
    text(name = declaration.name, help = declaration.help) {
      const series = stats().map((each) => [keyOf(each), of(each)] as const);
      return head(name, help, "histogram") + histogramLines(name, series, buckets);
    },
  };
}
