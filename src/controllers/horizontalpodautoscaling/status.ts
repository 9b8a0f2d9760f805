/** The status of an autoscaler. */

import type { HorizontalPodAutoscalerStatus } from "../../api/autoscaling/v2beta2/autoscaler-spec.ts";
import type { HorizontalPodAutoscaler } from "../../api/autoscaling/v2beta2/horizontal-pod-autoscaler.ts";
import { timeText } from "../../machinery/values/time.ts";
import { withCondition } from "../parts/conditions.ts";
import type { ConditionFacts } from "./conditions.ts";
import type { MetricReading } from "./decision.ts";

export interface StatusInput {
  readonly current: number;
  readonly desired: number;
  readonly readings: readonly MetricReading[];
  readonly conditions: readonly ConditionFacts[];
  readonly isRescaled: boolean;
  readonly nowMs: number;
}

export function autoscalerStatus(
  autoscaler: HorizontalPodAutoscaler,
  { current, desired, readings, conditions, isRescaled, nowMs }: StatusInput,
): HorizontalPodAutoscalerStatus {
  const lastScaleTime = isRescaled ? timeText(nowMs) : autoscaler.status?.lastScaleTime;
  return {
    ...(lastScaleTime ? { lastScaleTime } : {}),
    currentReplicas: current,
    desiredReplicas: desired,
    currentMetrics: readings.flatMap((reading) => ("measured" in reading ? [reading.measured.status] : [])),
    conditions: conditions.reduce(
      (all, facts) => withCondition(all, facts, nowMs),
      autoscaler.status?.conditions ?? [],
    ),
  };
}
