/** Which metrics a process shows: --show-hidden-metrics-for-version and --disabled-metrics. */

import type { Metric } from "../base/metrics.ts";
import { createExposition } from "../metrics/exposition.ts";
import { hiddenVersionProblem, parseRelease, type Release } from "../metrics/life-cycle.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { FlagError } from "./flags/flag.ts";
import { apiRelease } from "./version.ts";

export interface MetricChoice {
  /** Metrics that were hidden since this release are shown. */
  readonly showHiddenFor?: Release | undefined;
  /** Names as clients see them. */
  readonly disabled: readonly string[];
}

const release: Release = { major: Number(apiRelease.major), minor: Number(apiRelease.minor) };

/** Throws FlagError if the version is not the one before this. */
export function readMetricChoice(flags: {
  readonly "show-hidden-metrics-for-version": string;
  readonly "disabled-metrics": readonly string[];
}): MetricChoice {
  const version = flags["show-hidden-metrics-for-version"];
  const problem = hiddenVersionProblem(version, release);
  if (problem !== undefined) throw new FlagError(problem);
  return {
    disabled: flags["disabled-metrics"],
    ...(version === "" ? {} : { showHiddenFor: parseRelease(version) }),
  };
}

export function metricPrinter(
  vocabulary: Vocabulary,
  choice?: MetricChoice,
): (metrics: readonly Metric[]) => Promise<string> {
  return createExposition({ nameOf: (name) => vocabulary.metric(name), release, ...choice });
}
