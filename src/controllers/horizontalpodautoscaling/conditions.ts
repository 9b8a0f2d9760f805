/** Conditions of an autoscaler: each type once, in the order in which they first appeared. */

import type { HorizontalPodAutoscalerCondition } from "../../api/autoscaling/v2beta2/autoscaler-spec.ts";
import { timeText } from "../../machinery/values/time.ts";

type AutoscalerConditionType = "AbleToScale" | "ScalingActive" | "ScalingLimited";

export interface ConditionFacts {
  readonly type: AutoscalerConditionType;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The time changes with the status alone. */
export function withCondition(
  conditions: readonly HorizontalPodAutoscalerCondition[],
  facts: ConditionFacts,
  nowMs: number,
): HorizontalPodAutoscalerCondition[] {
  const known = conditions.find(({ type }) => type === facts.type);
  const lastTransitionTime = known?.status === facts.status ? (known.lastTransitionTime ?? null) : timeText(nowMs);
  const next = { ...facts, lastTransitionTime };
  return known === undefined ? [...conditions, next] : conditions.map((each) => (each === known ? next : each));
}
