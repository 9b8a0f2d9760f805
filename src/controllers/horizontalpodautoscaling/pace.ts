/** How fast the number of replicas may change: past recommendations and past changes limit it. */

import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "../../api/autoscaling/v2beta2/behavior.ts";

interface Limited {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

/** The history of one autoscaler; a restart drops it, as in v1.21. */
export interface Memory {
  /** Nothing was remembered yet. */
  isNew: boolean;
  recommendations: { readonly replicas: number; readonly atMs: number }[];
  /** Pods added and removed. */
  ups: { readonly change: number; readonly atMs: number }[];
  downs: { readonly change: number; readonly atMs: number }[];
}

export const newMemory = (): Memory => ({ isNew: true, recommendations: [], ups: [], downs: [] });

/** Older changes are dropped: a behavior may have a window of an hour at most. */
const memoryMs = 3_600_000;

const withinRange: Omit<Limited, "replicas"> = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};
const tooMany = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFew = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const upLimit = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const downLimit = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const ready = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const downStabilized = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const upStabilized = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

export interface PaceInput {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly downscaleStabilizationMs: number;
  readonly nowMs: number;
}

/** Records the present recommendation, and applies the stabilization windows. */
export function stabilize(memory: Memory, input: PaceInput): Limited {
  const { current, desired, behavior, nowMs } = input;
  const downMs = windowMs(behavior?.scaleDown) ?? input.downscaleStabilizationMs;
  const isUp = behavior !== undefined && desired >= current;
  const backMs = isUp ? (windowMs(behavior.scaleUp) ?? 0) : downMs;
  const recent = memory.recommendations.filter(({ atMs }) => atMs > nowMs - backMs).map(({ replicas }) => replicas);
  const replicas = isUp ? Math.min(desired, ...recent) : Math.max(desired, ...recent);
  memory.recommendations = [
    ...memory.recommendations.filter(({ atMs }) => atMs > nowMs - memoryMs),
    { replicas: desired, atMs: nowMs },
  ];
  if (replicas === desired) return { replicas, ...ready };
  return { replicas, ...(isUp ? upStabilized : downStabilized) };
}

const windowMs = (rules: HPAScalingRules | undefined) =>
  rules?.stabilizationWindowSeconds === undefined ? undefined : rules.stabilizationWindowSeconds * 1000;

/** Applies the limits and the rates. */
export function limit(memory: Memory, input: PaceInput): Limited {
  const { current, desired, min, max, behavior, nowMs } = input;
  if (behavior === undefined) {
    // Without a behavior the number may double, or reach four.
    const fastest = Math.max(2 * current, 4);
    if (desired < min) return { replicas: min, ...tooFew };
    if (desired > Math.min(max, fastest)) {
      return max > fastest ? { replicas: fastest, ...upLimit } : { replicas: max, ...tooMany };
    }
  } else if (desired > current) {
    const fastest = Math.max(current, upLimitOf(current, memory, behavior.scaleUp, nowMs));
    if (desired > Math.min(max, fastest)) {
      return max > fastest ? { replicas: fastest, ...upLimit } : { replicas: max, ...tooMany };
    }
  } else if (desired < current) {
    const fastest = Math.min(current, downLimitOf(current, memory, behavior.scaleDown, nowMs));
    if (desired < Math.max(min, fastest)) {
      return min < fastest ? { replicas: fastest, ...downLimit } : { replicas: min, ...tooFew };
    }
  }
  return { replicas: desired, ...withinRange };
}

const changed = (events: Memory["ups"], periodSeconds: number, nowMs: number) =>
  events.filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000).reduce((sum, { change }) => sum + change, 0);

function upLimitOf(current: number, memory: Memory, rules: HPAScalingRules | undefined, nowMs: number): number {
  if (rules?.selectPolicy === "Disabled") return current;
  const proposals = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = current - changed(memory.ups, periodSeconds, nowMs);
    return type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100));
  });
  return rules?.selectPolicy === "Min" ? Math.min(...proposals) : Math.max(...proposals);
}

/** For scaling down, the smallest change leaves the most replicas. */
function downLimitOf(current: number, memory: Memory, rules: HPAScalingRules | undefined, nowMs: number): number {
  if (rules?.selectPolicy === "Disabled") return current;
  const proposals = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = current + changed(memory.downs, periodSeconds, nowMs);
    return type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100));
  });
  return rules?.selectPolicy === "Min" ? Math.max(...proposals) : Math.min(...proposals);
}

/** After the number was changed. */
export function recordChange(memory: Memory, from: number, to: number, nowMs: number): void {
  const kept = (events: Memory["ups"]) => events.filter(({ atMs }) => atMs > nowMs - memoryMs);
  if (to > from) memory.ups = [...kept(memory.ups), { change: to - from, atMs: nowMs }];
  else memory.downs = [...kept(memory.downs), { change: from - to, atMs: nowMs }];
}
