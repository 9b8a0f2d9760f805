/** Which metrics a process shows: --show-hidden-metrics-for-version, --disabled-metrics and --allow-metric-labels. */

import { FlagError } from "../base/flags/flag.ts";
import type { Metric } from "../base/metrics.ts";
import type { Release } from "../base/release.ts";
import { levelDefault } from "../machinery/schema/levels.ts";
import { type AllowedLabels, parseAllowedLabels } from "../metrics/allowed-labels.ts";
import { createExposition } from "../metrics/exposition.ts";
import { hiddenVersionProblem, type MetricRelease, parseRelease } from "../metrics/life-cycle.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

export interface MetricChoice {
  /** Metrics that were hidden since this release are shown. */
  readonly showHiddenFor?: MetricRelease | undefined;
  /** Names as clients see them. */
  readonly disabled: readonly string[];
  readonly allowedLabels?: AllowedLabels;
}

/** Throws FlagError if the version is not the one before this, or if an allow list is not of a metric's label. */
export function readMetricChoice(flags: {
  readonly "show-hidden-metrics-for-version": string;
  readonly "disabled-metrics": readonly string[];
  readonly "allow-metric-labels": ReadonlyMap<string, string>;
  readonly "emulated-version"?: Release;
}): MetricChoice {
  const version = flags["show-hidden-metrics-for-version"];
  const problem = hiddenVersionProblem(version, parseRelease(flags["emulated-version"] ?? levelDefault));
  if (problem !== undefined) throw new FlagError(problem);
  const allowed = flags["allow-metric-labels"];
  return {
    disabled: flags["disabled-metrics"],
    ...(allowed.size === 0 ? {} : { allowedLabels: readAllowedLabels(allowed) }),
    ...(version === "" ? {} : { showHiddenFor: parseRelease(version) }),
  };
}

function readAllowedLabels(given: ReadonlyMap<string, string>): AllowedLabels {
  try {
    return parseAllowedLabels(given);
  } catch (cause) {
    throw new FlagError(`--allow-metric-labels ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

export function metricPrinter(
  vocabulary: Vocabulary,
  choice?: MetricChoice,
  level: Release = levelDefault,
): (metrics: readonly Metric[]) => Promise<string> {
  return createExposition({ nameOf: (name) => vocabulary.metric(name), release: parseRelease(level), ...choice });
}
