/**
 * The life of a simulated pod, one step at a time:
 *
 *   bound → creating → its init containers one by one → its containers at once → ready → Succeeded or Failed, if they may end
 *
 * The step that a pod is at is read from its status, so nothing is lost when an agent restarts. Stages that select the pod lead it
 * from one state to another, beside or in place of the steps that all pods take.
 */

import type { ContainerStatus, PodStatus } from "../../api/core/v1/pod/status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Steps } from "../../base/time-slice.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { secondsMs } from "../../machinery/values/integer.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { StoppedRuns } from "./command-run.ts";
import { conditionsOf, isReadyPod, observedGeneration, withConditions } from "./conditions.ts";
import type { ContainerEvent } from "./container-events.ts";
import { endedStatus, killedExitCode, waitingStatus } from "./container-life.ts";
import type { PodContext } from "./context.ts";
import { withDeadline } from "./deadline.ts";
import { exactTime, type StepTimes } from "./exact-times.ts";
import { endContainers, runContainers } from "./pod-containers.ts";
import { readinessOf } from "./readiness.ts";
import { refusedStatus } from "./refusal.ts";
import { deferredRetryMs, noResize, resizeOf, withResizeCondition } from "./resize.ts";
import { type StagesNow, stagesNow } from "./stages-now.ts";

export type LifeStep =
  /** Nothing changes now. `reviewInMs`: when the next step is due; undefined: never by itself. */
  | { readonly at: "rest"; readonly reviewInMs: number | undefined }
  /** `times`: when what has changed began. What follows is decided when the change is seen. */
  | {
      readonly at: "write";
      readonly status: PodStatus;
      readonly times: StepTimes;
      readonly events: readonly ContainerEvent[];
    }
  /** A stage deletes the pod. */
  | { readonly at: "delete" };

export function* nextStep(pod: Pod, context: PodContext): Steps<LifeStep> {
  const { status } = pod;
  if (isFinished(status)) return { at: "rest", reviewInMs: undefined };
  if (status?.startTime == null || (status.containerStatuses ?? []).length === 0) return yield* started(pod, context);
  const stages = withDeadline(stagesNow(pod, context), pod, context);
  if (stages.due.some(({ next }) => next.delete)) return { at: "delete" };
  if ((status.podIP ?? "") !== "" || stages.end !== undefined) return yield* live(pod, context, stages);
  const waitMs =
    exactTime(context.times, "pod", status.startTime, context.nowMs) + context.behaviour.startMs - context.nowMs;
  const starts = stages.lead ? stages.due.some(({ next }) => next.phase === "Running") : waitMs <= 0;
  if (starts) return yield* live(pod, context, stages);
  return stillWaiting(pod, context, stages, stages.lead ? undefined : waitMs);
}

/**
 * How long a deleted pod still runs, from now: as its behaviour or a stage says, otherwise until its commands have ended; at most for its
 * grace period. `stopped`: how its commands end; undefined: it has none.
 */
export function stopInMs(pod: Pod, context: PodContext, stopped?: StoppedRuns): number {
  const { behaviour, stages, nowMs } = context;
  const endMs = Date.parse(pod.metadata.deletionTimestamp ?? "");
  const begunMs = endMs - secondsMs(pod.metadata.deletionGracePeriodSeconds ?? 0);
  const led = stages.filter(isRemoval).map(({ delayMs }) => delayMs);
  const takesMs = led.length > 0 ? Math.min(...led) : behaviour.stopMs;
  if (Number.isNaN(endMs)) return 0;
  if (stopped === "running" && !isStopDeclared(context)) return endMs - nowMs;
  return Math.min(begunMs + takesMs, endMs) - nowMs;
}

/** Whether something else than its commands says when a deleted pod has stopped. */
export const isStopDeclared = ({ behaviour, stages }: Pick<PodContext, "behaviour" | "stages">): boolean =>
  behaviour.declaresStop || stages.some(isRemoval);

const isRemoval = ({ from, next }: PodContext["stages"][number]): boolean =>
  from === "Terminating" && next.delete === true;

/** Whether the status of a deleted pod tells how it has ended. */
export const hasStopped = ({ status }: Pod): boolean =>
  isFinished(status) || (status?.containerStatuses ?? []).every(({ state }) => state?.running === undefined);

/** The last status of a deleted pod: how each container has ended. */
export function stoppedStatus(pod: Pod, stopped: StoppedRuns, context: PodContext): PodStatus {
  const { nowMs, behaviour } = context;
  const tools = { nowMs, times: noTimes, podText: "", restartsAfter: () => false, behaviour };
  const end = (one: ContainerStatus): ContainerStatus => {
    if (one.state?.running === undefined) return one;
    const { exitCode = killedExitCode, message } = (stopped !== "running" && stopped.get(one.name)) || {};
    return endedStatus(one, exitCode, tools, message).status;
  };
  const containerStatuses = (pod.status?.containerStatuses ?? []).map(end);
  const inits = pod.status?.initContainerStatuses?.map(end);
  const hasSucceeded = containerStatuses.every(({ state }) => state?.terminated?.exitCode === 0);
  const states = { isInitialized: true, isOver: true, hasSandbox: false, areReady: false, isHeld: false };
  return {
    ...pod.status,
    phase: hasSucceeded ? "Succeeded" : "Failed",
    conditions: conditionsOf(pod, context, states),
    containerStatuses,
    ...(inits && { initContainerStatuses: inits }),
  };
}

const isFinished = (status: PodStatus | undefined): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

/**
 * An agent that is behind with its work does not tell what is over: where the containers should run by now, it tells that they run,
 * and not first that they are created.
 */
function* started(pod: Pod, context: PodContext): Steps<LifeStep> {
  const refusal = pod.status?.startTime == null ? context.refusal() : undefined;
  if (refusal !== undefined) {
    // Its controller may replace it at once, on and on: that takes time on real nodes as well.
    const waitMs = (context.seenMs ?? context.nowMs) + context.behaviour.startMs - context.nowMs;
    if (waitMs > 0) return { at: "rest", reviewInMs: waitMs };
    const events = [{ type: "Warning", ...refusal } as const];
    return { at: "write", status: refusedStatus(pod, refusal, context), times: noTimes, events };
  }
  const begun = begin(pod, context);
  yield;
  const { nowMs, seenMs = nowMs, behaviour, stages } = context;
  if (nowMs - seenMs < behaviour.startMs || stages.length > 0) return begun;
  const next = yield* nextStep({ ...pod, status: begun.status }, { ...context, times: begun.times });
  if (next.at !== "write") return begun;
  return { ...next, times: new Map([...begun.times, ...next.times]) };
}

function begin(pod: Pod, context: PodContext): LifeStep & { readonly at: "write" } {
  const { nowMs, seenMs = nowMs, hostIP, reports } = context;
  const inits = pod.spec?.initContainers ?? [];
  const reason = inits.length > 0 ? "PodInitializing" : "ContainerCreating";
  const states = { isInitialized: inits.length === 0, areReady: false, isOver: false, isHeld: false };
  const status: PodStatus = {
    ...pod.status,
    phase: "Pending",
    startTime: timeText(seenMs),
    hostIP,
    ...(reports && { hostIPs: [{ ip: hostIP }] }),
    conditions: conditionsOf(pod, context, { ...states, hasSandbox: false }),
    containerStatuses: (pod.spec?.containers ?? []).map((one) => waitingStatus(one, reason)),
    ...(inits.length > 0 && { initContainerStatuses: inits.map((one) => waitingStatus(one, reason)) }),
    ...observedGeneration(pod, context.reports),
  };
  return { at: "write", status, times: new Map([["pod", seenMs]]), events: [] };
}

/** No container has been started yet. A stage may say why: "ImagePullBackOff". */
function stillWaiting(pod: Pod, { nowMs }: PodContext, { due, nextInMs }: StagesNow, waitMs?: number): LifeStep {
  const waiting = due.findLast(({ next }) => next.waiting !== undefined)?.next.waiting;
  const conditions = withConditions(pod.status?.conditions ?? [], due, nowMs);
  const statuses = pod.status?.containerStatuses ?? [];
  const isSaid = ({ state }: ContainerStatus) =>
    state?.waiting?.reason === waiting?.reason && state?.waiting?.message === waiting?.message;
  const containerStatuses = statuses.map((one) =>
    waiting === undefined || isSaid(one) ? one : { ...one, state: { waiting } },
  );
  return writeOrRest(pod, { ...pod.status, conditions, containerStatuses }, earliest(waitMs, nextInMs));
}

/** The containers take their steps; then stages that are due change what came of it. */
function* live(pod: Pod, context: PodContext, stages: StagesNow): Steps<LifeStep> {
  const podIP = pod.status?.podIP || context.takeAddress();
  const resize = resizeOf(pod, context);
  const ran = endContainers(pod, yield* runContainers(pod, context, resize), stages, context);
  yield;
  const isOver = ran.phase === "Succeeded" || ran.phase === "Failed";
  const readiness = readinessOf(pod, context, stages, { containers: ran, isOver });
  const { isInitialized } = ran;
  const conditions = conditionsOf(pod, context, { isInitialized, isOver, hasSandbox: !isOver, ...readiness });
  const status: PodStatus = {
    ...pod.status,
    phase: ran.phase,
    hostIP: context.hostIP,
    podIP,
    podIPs: pod.status?.podIPs ?? [{ ip: podIP }],
    ...(stages.end?.reason === undefined ? {} : { reason: stages.end.reason }),
    ...(stages.end?.message === undefined ? {} : { message: stages.end.message }),
    conditions: withResizeCondition(
      withConditions(conditions, stages.due, context.nowMs),
      pod,
      isOver ? noResize : resize,
      context.nowMs,
    ),
    containerStatuses: ran.mains.map((one) =>
      readiness.isHeld && one.ready !== readiness.areReady && one.state?.running !== undefined
        ? { ...one, ready: readiness.areReady }
        : one,
    ),
    ...(ran.inits.length > 0 && { initContainerStatuses: [...ran.inits] }),
    ...(ran.ephemerals.length > 0 && { ephemeralContainerStatuses: [...ran.ephemerals] }),
    ...observedGeneration(pod, context.reports),
  };
  const isChange = isReadyPod({ ...pod, status }) !== isReadyPod(pod);
  const times = isChange ? new Map([...ran.times, ["ready", context.nowMs] as const]) : ran.times;
  const retryMs = resize.at === "pending" && resize.reason === "Deferred" ? deferredRetryMs : undefined;
  yield;
  return writeOrRest(pod, status, earliest(ran.reviewInMs, stages.nextInMs, retryMs), { times, events: ran.events });
}

function writeOrRest(
  { status: before }: Pod,
  status: PodStatus,
  reviewInMs: number | undefined,
  { times = noTimes, events = [] }: { times?: StepTimes; events?: readonly ContainerEvent[] } = {},
): LifeStep {
  return sameValue(status, before) ? { at: "rest", reviewInMs } : { at: "write", status, times, events };
}

const noTimes: StepTimes = new Map();

const earliest = (...given: readonly (number | undefined)[]): number | undefined => {
  const known = given.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};
