/** The conditions of a simulated pod. */

import type { PodCondition } from "../../api/core/v1/pod/status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { PodContext } from "./context.ts";
import type { PodStage } from "./pod-stage.ts";

interface PodStates {
  readonly isInitialized: boolean;
  readonly areReady: boolean;
  /** All containers have ended. */
  readonly isOver: boolean;
  /** Whether the pod has its address. */
  readonly hasSandbox: boolean;
  /** A stage has decided whether the containers are ready. */
  readonly isHeld: boolean;
}

/** The reason of ContainersReady where a stage has decided it, which counts until the containers exit. */
const heldReason = "HeldByStage";

/** Whether a stage has said that the containers are ready, or that they are not; undefined: it has not. */
export function heldReadiness({ status }: Pod): boolean | undefined {
  const found = status?.conditions?.find(({ type }) => type === "ContainersReady");
  return found?.reason === heldReason ? found.status === "True" : undefined;
}

export const hasCondition = ({ status }: Pod, type: string): boolean =>
  status?.conditions?.some((one) => one.type === type && one.status === "True") === true;

export const isReadyPod = (pod: Pod): boolean => hasCondition(pod, "Ready");

/** Statuses and their conditions say which generation they are about, at the levels that have it. */
export const observedGeneration = ({ metadata: { generation } }: Pod, reports: boolean) =>
  reports && generation !== undefined ? { observedGeneration: generation } : {};

/** Conditions of others, such as those of readiness gates, stay. */
export function conditionsOf(pod: Pod, { nowMs, reports }: PodContext, states: PodStates): PodCondition[] {
  const { isInitialized, areReady, isOver, hasSandbox, isHeld } = states;
  const before = pod.status?.conditions ?? [];
  const gates = (pod.spec?.readinessGates ?? []).every(({ conditionType }) => hasCondition(pod, conditionType));
  const why = isOver ? "PodCompleted" : "ContainersNotReady";
  const initializedWhy = isOver && isInitialized ? "PodCompleted" : isInitialized ? "" : "ContainersNotInitialized";
  const own: [type: string, isTrue: boolean, reason: string][] = [
    ["Initialized", isInitialized, initializedWhy],
    ["Ready", areReady && gates, areReady ? (gates ? "" : "ReadinessGatesNotReady") : why],
    ["ContainersReady", areReady, isHeld ? heldReason : areReady ? "" : why],
    ["PodScheduled", true, ""],
  ];
  if (reports) own.unshift(["PodReadyToStartContainers", hasSandbox, ""]);
  const seen = observedGeneration(pod, reports);
  const made = own.map(([type, isTrue, reason]) => {
    const status = isTrue ? "True" : "False";
    return conditionAt(before, { type, status, ...(reason === "" ? {} : { reason }), ...seen }, nowMs);
  });
  return [...made, ...before.filter(({ type }) => !own.some(([name]) => name === type))];
}

/** With the conditions that stages set. */
export function withConditions(
  conditions: readonly PodCondition[],
  due: readonly PodStage[],
  nowMs: number,
): PodCondition[] {
  const set = new Map(due.flatMap(({ next }) => next.conditions ?? []).map((one) => [one.type, one]));
  return [
    ...conditions.filter(({ type }) => !set.has(type)),
    ...[...set.values()].map((one) => conditionAt(conditions, one, nowMs)),
  ];
}

/** One that says the same is kept as the server shows it; the time of the last transition stays where the status does. */
function conditionAt(before: readonly PodCondition[], next: PodCondition, nowMs: number): PodCondition {
  const old = before.find(({ type }) => type === next.type);
  if (old?.status !== next.status) return { ...next, lastTransitionTime: timeText(nowMs) };
  const isSeen = next.observedGeneration === undefined || old.observedGeneration === next.observedGeneration;
  if (old.reason === next.reason && old.message === next.message && isSeen) return old;
  return { ...next, lastTransitionTime: old.lastTransitionTime ?? timeText(nowMs) };
}
