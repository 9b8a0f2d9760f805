/** The metric that tells which feature gates a server has, in which stage, and whether they are on: since 1.26. */

import { featureGatesOf } from "../../api/feature-gates.ts";
import { gateHistories } from "../../api/gates/histories.ts";
import { labelKey, type Metric, Reading } from "../../base/metrics.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import type { GateWithEffect } from "../../machinery/schema/gates.ts";
import { featureEnabled } from "../../metrics/process.ts";

export function gateMetrics({ level, gates, has }: Environment, histories = gateHistories): readonly Metric[] {
  if (!has("gateMetric")) return [];
  // A gate without effect is known by its name as well.
  const isOn = (name: string) => gates.enabled(name as GateWithEffect);
  const stageOf = (stage: string) => (stage === "GA" ? "" : stage);
  const read = () =>
    featureGatesOf(level, histories).map(
      ({ name, stage }) => [labelKey(featureEnabled.labels, [name, stageOf(stage)]), isOn(name) ? 1 : 0] as const,
    );
  return [new Reading(featureEnabled, read)];
}
