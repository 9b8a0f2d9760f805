/** From the metrics of an autoscaler to a number of replicas, with conditions and events. */

import type { HorizontalPodAutoscaler } from "../../api/autoscaling/v2beta2/horizontal-pod-autoscaler.ts";
import type { MetricSpec } from "../../api/autoscaling/v2beta2/metrics.ts";
import type { PlannedEvent } from "../plan.ts";
import type { ConditionFacts } from "./conditions.ts";
import { failureReason, type Measured } from "./measure.ts";
import { limit, type Memory, type PaceInput, stabilize } from "./pace.ts";

/** The result of each metric, in order. */
export type MetricReading = { readonly metric: MetricSpec } & (
  | { readonly measured: Measured }
  | { readonly failure: string }
);

export interface ScaleDecision {
  /** Undefined: it is not known. */
  readonly replicas?: number;
  readonly reason: string;
  readonly conditions: readonly ConditionFacts[];
  readonly events: readonly PlannedEvent[];
  /** Why it is not known. */
  readonly failure?: string;
}

interface DecisionInput {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly current: number;
  /** Absent: metrics are not needed, since the number is out of its limits or scaling is off. */
  readonly readings?: readonly MetricReading[];
  readonly memory: Memory;
  readonly downscaleStabilizationMs: number;
  readonly nowMs: number;
}

const minReplicas = ({ spec }: HorizontalPodAutoscaler): number => spec?.minReplicas ?? 1;
const maxReplicas = ({ spec }: HorizontalPodAutoscaler): number => spec?.maxReplicas ?? 1;

/** Whether metrics decide the number of replicas. */
export const asksMetrics = (autoscaler: HorizontalPodAutoscaler, current: number): boolean =>
  !isOff(autoscaler, current) && current <= maxReplicas(autoscaler) && current >= minReplicas(autoscaler);

const isOff = (autoscaler: HorizontalPodAutoscaler, current: number) => current === 0 && minReplicas(autoscaler) !== 0;

export function decide(input: DecisionInput): ScaleDecision {
  const { autoscaler, current, readings } = input;
  const [min, max] = [minReplicas(autoscaler), maxReplicas(autoscaler)];
  const nothing = { conditions: [], events: [] };
  if (isOff(autoscaler, current)) {
    const message = "scaling is disabled since the replica count of the target is zero";
    const condition: ConditionFacts = { type: "ScalingActive", status: "False", reason: "ScalingDisabled", message };
    return { replicas: current, reason: "", conditions: [condition], events: [] };
  }
  if (current > max) {
    return { replicas: max, reason: "Current number of replicas above Spec.MaxReplicas", ...nothing };
  }
  if (current < min) {
    return { replicas: min, reason: "Current number of replicas below Spec.MinReplicas", ...nothing };
  }
  return decideByMetrics(input, readings ?? []);
}

function decideByMetrics(input: DecisionInput, readings: readonly MetricReading[]): ScaleDecision {
  const { autoscaler, current, memory } = input;
  const failed = readings.filter((reading) => "failure" in reading);
  const events = failed.map(
    ({ metric, failure }): PlannedEvent => ({ type: "Warning", reason: failureReason(metric), message: failure }),
  );
  const measured = readings.flatMap((reading) => ("measured" in reading ? [reading.measured] : []));
  const best = measured.reduce<Measured | undefined>(
    (most, each) => (most === undefined || each.replicas > most.replicas ? each : most),
    undefined,
  );
  // A missing metric might recommend more, so nothing is scaled down without it.
  const [first] = failed;
  if (best === undefined || (first !== undefined && best.replicas < current))
    return undecided(readings.length, failed, events);
  const found: ConditionFacts = {
    type: "ScalingActive",
    status: "True",
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${best.name}`,
  };
  const pace: PaceInput = {
    current,
    desired: best.replicas,
    min: minReplicas(autoscaler),
    max: maxReplicas(autoscaler),
    behavior: autoscaler.spec?.behavior,
    downscaleStabilizationMs: input.downscaleStabilizationMs,
    nowMs: input.nowMs,
  };
  const stable = stabilize(memory, pace);
  const limited = limit(memory, { ...pace, desired: stable.replicas });
  const able: ConditionFacts = { type: "AbleToScale", status: "True", reason: stable.reason, message: stable.message };
  const isLimited = limited.replicas !== stable.replicas;
  const { reason, message } = limited;
  const bounded: ConditionFacts = { type: "ScalingLimited", status: isLimited ? "True" : "False", reason, message };
  return {
    replicas: limited.replicas,
    reason:
      best.replicas > current ? `${best.name} above target` : best.replicas < current ? "All metrics below target" : "",
    conditions: [found, able, bounded],
    events,
  };
}

function undecided(
  count: number,
  failed: readonly (MetricReading & { readonly failure: string })[],
  events: readonly PlannedEvent[],
): ScaleDecision {
  const [first] = failed;
  const why = first?.failure ?? "no metrics are specified";
  const failure = `invalid metrics (${failed.length} invalid out of ${count}), first error is: ${why}`;
  const condition: ConditionFacts = {
    type: "ScalingActive",
    status: "False",
    reason: first === undefined ? "InvalidMetricSourceType" : failureReason(first.metric),
    message: `the HPA was unable to compute the replica count: ${why}`,
  };
  const warning: PlannedEvent = { type: "Warning", reason: "FailedComputeMetricsReplicas", message: failure };
  return { reason: "", conditions: [condition], events: [...events, warning], failure };
}
