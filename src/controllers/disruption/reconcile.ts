/** How many of the pods of a budget are healthy, how many must be, and how many may be disrupted. */

import type { Condition } from "../../api/common-fields.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { PodDisruptionBudgetStatus } from "../../api/policy/v1/budget-spec.ts";
import { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import { lookAgainMs } from "../../base/clock.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason } from "../../client/requests/send.ts";
import { scaledValue } from "../../machinery/values/integer.ts";
import { withCondition } from "../parts/conditions.ts";
import { isDeleting, isPodReady, timeMs } from "../parts/pods/state.ts";
import { messageOf, type Plan, type PlannedEvent, statusOf } from "../plan.ts";
import { NoScale } from "./scale.ts";

/** How long the deletion of an evicted pod may take before the pod counts again. */
export const deletionTimeoutMs = 120_000;

/** What a budget is about. */
export interface BudgetFacts {
  /** Those that it selects; undefined: its selector cannot be read. */
  readonly pods?: readonly Pod[];
  /** The desired number of all controllers of the pods together, where it is needed. */
  readonly scale?: number;
  /** Why pods or scale are not known. */
  readonly error?: unknown;
}

export function planBudget(budget: PodDisruptionBudget, { pods, scale = 0, error }: BudgetFacts, nowMs: number): Plan {
  const none = pods?.length === 0 ? [noPods] : [];
  if (error !== undefined || pods === undefined) {
    const events = pods === undefined ? none : [...none, ...scaleEvents(error)];
    const status = statusOf(PodDisruptionBudget, budget, failedStatus(budget, messageOf(error), nowMs));
    // Changes of pods and controllers enqueue the budget again; any other failure is retried.
    return { about: budget, events, next: () => ({ status, failure: error instanceof NoScale ? undefined : error }) };
  }
  const disrupted = disruptedPods(budget, pods, nowMs);
  const message = `Pod was expected by PDB ${keyOf(budget)} to be deleted but it wasn't`;
  const late = disrupted.late.map(
    (pod): PlannedEvent => ({ type: "Warning", reason: "NotDeleted", message, about: pod }),
  );
  const status = budgetStatus(budget, pods, expectedPods(budget, pods.length, scale), disrupted, nowMs);
  return {
    about: budget,
    events: [...none, ...late],
    next: () => ({
      status: statusOf(PodDisruptionBudget, budget, status),
      reviewInMs: disrupted.reviewInMs,
      failed(refusal) {
        if (hasReason(refusal, "Conflict")) return undefined;
        return { status: statusOf(PodDisruptionBudget, budget, failedStatus(budget, messageOf(refusal), nowMs)) };
      },
    }),
  };
}

const noPods: PlannedEvent = { type: "Normal", reason: "NoPods", message: "No matching pods found" };

function scaleEvents(error: unknown): PlannedEvent[] {
  const known = error instanceof NoScale ? error.event : undefined;
  const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
  return [
    ...(known === undefined ? [] : [{ type: "Warning" as const, reason: known, message: messageOf(error) }]),
    { type: "Warning", reason: "CalculateExpectedPodCountFailed", message },
  ];
}

interface ExpectedPods {
  /** The total number of pods that the budget refers to. */
  readonly pods: number;
  /** Pods that must stay healthy. */
  readonly healthy: number;
}

/** Whether `expectedPods` needs the desired number of the controllers of the pods. */
export const needsScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";

/** `scale`: of all controllers of the pods together, where it is needed. */
export function expectedPods({ spec }: PodDisruptionBudget, pods: number, scale: number): ExpectedPods {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    return { pods: scale, healthy: Math.max(0, scale - scaledValue(maxUnavailable, scale, "up")) };
  }
  if (typeof minAvailable === "string") return { pods: scale, healthy: scaledValue(minAvailable, scale, "up") };
  return minAvailable === undefined ? { pods: 0, healthy: 0 } : { pods, healthy: minAvailable };
}

interface Disrupted {
  /** Evicted pods that are not deleted yet, with the time. */
  readonly pods: Record<string, string | null>;
  /** Pods whose deletion takes too long: they count again. */
  readonly late: readonly Pod[];
  /** When the next one times out. */
  readonly reviewInMs?: number;
}

export function disruptedPods(budget: PodDisruptionBudget, pods: readonly Pod[], nowMs: number): Disrupted {
  const listed = budget.status?.disruptedPods ?? {};
  const left: Record<string, string | null> = {};
  const late: Pod[] = [];
  let nextMs: number | undefined;
  for (const pod of pods) {
    const { name = "" } = pod.metadata;
    const since = Object.hasOwn(listed, name) ? timeMs(listed[name]) : undefined;
    if (since === undefined || isDeleting(pod)) continue;
    const untilMs = since + deletionTimeoutMs;
    if (untilMs < nowMs) late.push(pod);
    else {
      left[name] = listed[name] ?? null;
      nextMs = Math.min(nextMs ?? untilMs, untilMs);
    }
  }
  return {
    pods: left,
    late,
    ...(nextMs === undefined ? {} : { reviewInMs: Math.max(1, lookAgainMs(nextMs - nowMs, deletionTimeoutMs) + 1) }),
  };
}

export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { pods: expected, healthy: desiredHealthy }: ExpectedPods,
  disrupted: Disrupted,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const isHealthy = (pod: Pod) =>
    !isDeleting(pod) && !Object.hasOwn(disrupted.pods, pod.metadata.name ?? "") && isPodReady(pod);
  const currentHealthy = pods.filter(isHealthy).length;
  // A budget that matches nothing yet allows nothing when its first pods appear.
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = budget.metadata.generation ?? 0;
  const [status, reason] = disruptionsAllowed > 0 ? ["True", "SufficientPods"] : ["False", "InsufficientPods"];
  const condition = { status, reason, message: "", observedGeneration };
  return {
    ...(observedGeneration === 0 ? {} : { observedGeneration }),
    ...(Object.keys(disrupted.pods).length === 0 ? {} : { disruptedPods: disrupted.pods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods: expected,
    conditions: withAllowed(budget.status?.conditions ?? [], condition, nowMs),
  };
}

/** If the expected number of pods is not known, none may be disrupted. */
function failedStatus(budget: PodDisruptionBudget, why: string, nowMs: number): PodDisruptionBudgetStatus {
  const { observedGeneration = 0 } = budget.status ?? {};
  const condition = { status: "False", reason: "SyncFailed", message: why, observedGeneration };
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...budget.status,
    disruptionsAllowed: 0,
    conditions: withAllowed(budget.status?.conditions ?? [], condition, nowMs),
  };
}

function withAllowed(
  conditions: readonly Condition[],
  { observedGeneration, ...facts }: Pick<Condition, "status" | "reason" | "message"> & { observedGeneration: number },
  nowMs: number,
): Condition[] {
  const generation = observedGeneration === 0 ? {} : { observedGeneration };
  return withCondition(conditions, { type: "DisruptionAllowed", ...facts, ...generation }, nowMs);
}
