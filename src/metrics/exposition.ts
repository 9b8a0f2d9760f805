/** All metrics of a process as the text of /metrics: with their spoken names and stability, without hidden and disabled ones. */

import type { Metric } from "../base/metrics.ts";
import { TimeSlice } from "../base/time-slice.ts";
import { type AllowedLabels, withAllowedLabels } from "./allowed-labels.ts";
import { helpOf, type MetricRelease, stateOf } from "./life-cycle.ts";

export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

interface ExpositionOptions {
  /** From the name in the table to the one that clients see. */
  nameOf(neutral: string): string;
  readonly release: MetricRelease;
  /** --show-hidden-metrics-for-version. */
  readonly showHiddenFor?: MetricRelease | undefined;
  /** --disabled-metrics: names as clients see them. */
  readonly disabled?: readonly string[];
  /** --allow-metric-labels. */
  readonly allowedLabels?: AllowedLabels | undefined;
}

/** How long a scrape waits for values from elsewhere; after that it shows the previous ones. */
const refreshMsMax = 1_000;

/** Written in time slices, metric by metric. */
export function createExposition(options: ExpositionOptions): (metrics: readonly Metric[]) => Promise<string> {
  const disabled = new Set(options.disabled);
  return async (metrics) => {
    await refreshed(metrics);
    const slice = new TimeSlice();
    let text = "";
    for (const metric of metrics) {
      const { declaration } = metric;
      const name = options.nameOf(declaration.name);
      const state = stateOf(declaration, options.release, options.showHiddenFor);
      if (state === "hidden" || disabled.has(name)) continue;
      const own = metric.text(name, helpOf(declaration, state));
      const allowed = options.allowedLabels?.get(name);
      text += allowed === undefined ? own : withAllowedLabels(own, declaration, allowed);
      if (slice.isLong) await slice.next();
    }
    return text;
  };
}

async function refreshed(metrics: readonly Metric[]): Promise<void> {
  const waiting = metrics.flatMap((metric) => metric.refresh?.() ?? []);
  if (waiting.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, refreshMsMax);
  });
  await Promise.race([Promise.allSettled(waiting), late]);
  clearTimeout(timer);
}
