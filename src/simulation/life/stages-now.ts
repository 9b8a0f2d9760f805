/** Which stages of a pod are due. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { isReadyPod } from "./conditions.ts";
import type { PodContext } from "./context.ts";
import { exactTime } from "./exact-times.ts";
import type { NextStatus, PodStage, StageState } from "./pod-stage.ts";

export interface StagesNow {
  /** Those whose time has come in the state that the pod is in, the earliest first; a later one counts more. */
  readonly due: readonly PodStage[];
  /** What ends the pod; undefined: nothing does. */
  readonly end: (NextStatus & { readonly phase: "Succeeded" | "Failed" }) | undefined;
  /** Whether stages lead from this state. */
  readonly lead: boolean;
  /** When the next one is due, from now; undefined: none is. */
  readonly nextInMs: number | undefined;
}

const noStages: StagesNow = { due: [], end: undefined, lead: false, nextInMs: undefined };

export function stagesNow(pod: Pod, { stages, nowMs, times }: PodContext): StagesNow {
  if (stages.length === 0) return noStages;
  const state = stateOf(pod);
  const own = stages.filter(({ from }) => from === state).sort((a, b) => a.delayMs - b.delayMs);
  const elapsedMs = nowMs - sinceMs(pod, state, times, nowMs);
  const due = own.filter(({ delayMs }) => delayMs <= elapsedMs);
  const later = own.filter(({ delayMs }) => delayMs > elapsedMs).map(({ delayMs }) => delayMs - elapsedMs);
  return {
    due,
    end: due.map(({ next }) => next).find(isEnd),
    lead: own.length > 0,
    nextInMs: later.length === 0 ? undefined : Math.min(...later),
  };
}

const isEnd = (next: NextStatus): next is NextStatus & { readonly phase: "Succeeded" | "Failed" } =>
  next.phase === "Succeeded" || next.phase === "Failed";

function stateOf(pod: Pod): StageState {
  if (pod.status?.phase !== "Running") return "Pending";
  return isReadyPod(pod) ? "Ready" : "NotReady";
}

function sinceMs(pod: Pod, state: StageState, times: PodContext["times"], nowMs: number): number {
  const { status } = pod;
  if (state === "Pending") return exactTime(times, "pod", status?.startTime, nowMs);
  const changed = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  const changedMs = exactTime(times, "ready", changed, nowMs);
  if (state === "Ready") return changedMs;
  // The pod was not ready before its containers ran either.
  const runs = (status?.containerStatuses ?? []).flatMap(({ name, state: now }) =>
    now?.running?.startedAt == null ? [] : [exactTime(times, `run ${name}`, now.running.startedAt, nowMs)],
  );
  return Math.max(changedMs, ...runs);
}
