/**
 * The life of a simulated pod, one step at a time:
 *
 *   bound → creating (ContainerCreating) → running → ready → exited → back-off (CrashLoopBackOff) → running …
 *                                                          → Succeeded or Failed, by its restart policy
 *
 * The step that a pod is at is read from its status, so nothing is lost when an agent restarts.
 */

import type { ContainerStatus, PodCondition } from "../api/core/v1/pod/status.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { timeText } from "../machinery/values/time.ts";
import type { Behaviour } from "./behaviour.ts";

interface Moment {
  readonly nowMs: number;
  /** When the present step began. */
  readonly sinceMs: number;
  /** An address for a pod that has none yet. */
  takeAddress(): string;
  readonly hostIP: string;
}

interface PodLifeStep {
  /** Undefined: nothing changes now. */
  readonly status: PodStatus | undefined;
  /** When the next step is due; undefined: never by itself. */
  readonly reviewInMs: number | undefined;
}

type PodStatus = NonNullable<Pod["status"]>;

const nothing: PodLifeStep = { status: undefined, reviewInMs: undefined };
const later = (reviewInMs: number): PodLifeStep => ({ status: undefined, reviewInMs });

/** As agents do it: the first delay before a container is restarted again, and the longest. */
const backoffFirstMs = 10_000;
const backoffMaxMs = 300_000;

export function nextStep(pod: Pod, behaviour: Behaviour, moment: Moment): PodLifeStep {
  const { status } = pod;
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return nothing;
  const [first] = status?.containerStatuses ?? [];
  if (status?.startTime == null || first === undefined) return create(pod, behaviour, moment);
  const elapsedMs = moment.nowMs - moment.sinceMs;
  if (first.state?.running !== undefined) return whileRunning(pod, behaviour, moment, elapsedMs);
  const waitMs =
    first.state?.waiting?.reason === "CrashLoopBackOff" ? backoffMs(first.restartCount) : startMs(pod, behaviour);
  return elapsedMs < waitMs ? later(waitMs - elapsedMs) : run(pod, behaviour, moment);
}

const startMs = ({ spec }: Pod, { startMs: own, initMs }: Behaviour): number =>
  own + (spec?.initContainers?.length ?? 0) * initMs;

/** The first restart is immediate. */
const backoffMs = (restarts: number): number =>
  restarts === 0 ? 0 : Math.min(backoffFirstMs * 2 ** (restarts - 1), backoffMaxMs);

function create(pod: Pod, behaviour: Behaviour, moment: Moment): PodLifeStep {
  const hasInit = (pod.spec?.initContainers?.length ?? 0) > 0;
  const reason = hasInit ? "PodInitializing" : "ContainerCreating";
  const waiting = (name: string, image: string | undefined, why: string): ContainerStatus => ({
    ...plainStatus(name, image),
    state: { waiting: { reason: why } },
  });
  const status: PodStatus = {
    ...pod.status,
    phase: "Pending",
    startTime: timeText(moment.nowMs),
    hostIP: moment.hostIP,
    conditions: conditionsOf(pod, moment.nowMs, { isInitialized: !hasInit, areReady: false }),
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image }) => waiting(name, image, reason)),
    ...(hasInit && {
      initContainerStatuses: (pod.spec?.initContainers ?? []).map(({ name, image }) =>
        waiting(name, image, "PodInitializing"),
      ),
    }),
  };
  return { status, reviewInMs: startMs(pod, behaviour) };
}

function run(pod: Pod, behaviour: Behaviour, moment: Moment): PodLifeStep {
  const { nowMs, hostIP } = moment;
  const podIP = pod.status?.podIP || moment.takeAddress();
  const now = timeText(nowMs);
  const delayMs = readyDelayMs(pod);
  const areReady = !behaviour.neverReady && delayMs === 0;
  const ended = { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now };
  const inits = (pod.spec?.initContainers ?? []).map(
    ({ name, image }): ContainerStatus => ({ ...plainStatus(name, image), ready: true, state: { terminated: ended } }),
  );
  const before = pod.status?.containerStatuses ?? [];
  const status: PodStatus = {
    ...pod.status,
    phase: "Running",
    hostIP,
    podIP,
    podIPs: pod.status?.podIPs ?? [{ ip: podIP }],
    conditions: conditionsOf(pod, nowMs, { isInitialized: true, areReady }),
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image }, at): ContainerStatus => {
      const last = before[at];
      const isRestart = last?.lastState?.terminated !== undefined;
      return {
        ...plainStatus(name, image),
        ready: areReady,
        started: true,
        restartCount: (last?.restartCount ?? 0) + (isRestart ? 1 : 0),
        state: { running: { startedAt: now } },
        ...(isRestart && last.lastState !== undefined ? { lastState: last.lastState } : {}),
      };
    }),
    ...(inits.length > 0 && { initContainerStatuses: inits }),
  };
  return { status, reviewInMs: earliest(areReady || behaviour.neverReady ? undefined : delayMs, behaviour.runForMs) };
}

function whileRunning(pod: Pod, behaviour: Behaviour, moment: Moment, elapsedMs: number): PodLifeStep {
  const { runForMs, neverReady } = behaviour;
  if (runForMs !== undefined && elapsedMs >= runForMs) return exit(pod, behaviour, moment);
  const restMs = runForMs === undefined ? undefined : runForMs - elapsedMs;
  const readyInMs = readyDelayMs(pod) - elapsedMs;
  const areReady = !neverReady && readyInMs <= 0;
  const conditions = conditionsOf(pod, moment.nowMs, { isInitialized: true, areReady });
  const isSame =
    (pod.status?.containerStatuses ?? []).every(({ ready }) => ready === areReady) && sameStates(pod, conditions);
  const reviewInMs = earliest(neverReady || readyInMs <= 0 ? undefined : readyInMs, restMs);
  if (isSame) return { status: undefined, reviewInMs };
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((one) => ({ ...one, ready: areReady }));
  return { status: { ...pod.status, conditions, containerStatuses }, reviewInMs };
}

function exit(pod: Pod, { exitCode }: Behaviour, { nowMs }: Moment): PodLifeStep {
  const policy = pod.spec?.restartPolicy ?? "Always";
  const restarts = policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
  const reason = exitCode === 0 ? "Completed" : "Error";
  const conditions = conditionsOf(pod, nowMs, { isInitialized: true, areReady: false, isOver: !restarts });
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((one): ContainerStatus => {
    const startedAt = one.state?.running?.startedAt;
    const terminated = { exitCode, reason, ...(startedAt == null ? {} : { startedAt }), finishedAt: timeText(nowMs) };
    if (!restarts) return { ...one, ready: false, started: false, state: { terminated } };
    const delay = `${backoffMs(one.restartCount) / 1_000}s`;
    const message = `back-off ${delay} restarting failed container=${one.name} pod=${pod.metadata.name ?? ""}_${pod.metadata.namespace ?? ""}(${pod.metadata.uid ?? ""})`;
    const waiting = { reason: "CrashLoopBackOff", message };
    return { ...one, ready: false, started: false, state: { waiting }, lastState: { terminated } };
  });
  const phase = restarts ? "Running" : exitCode === 0 ? "Succeeded" : "Failed";
  const restartCount = pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
  return {
    status: { ...pod.status, phase, conditions, containerStatuses },
    reviewInMs: restarts ? backoffMs(restartCount) : undefined,
  };
}

const plainStatus = (name: string, image: string | undefined): ContainerStatus => ({
  name,
  image: image ?? "",
  imageID: "",
  ready: false,
  restartCount: 0,
});

/** A container with a readiness probe is ready after the probe's first delay. */
const readyDelayMs = ({ spec }: Pod): number =>
  Math.max(
    0,
    ...(spec?.containers ?? []).map(({ readinessProbe }) => (readinessProbe?.initialDelaySeconds ?? 0) * 1_000),
  );

const earliest = (...given: readonly (number | undefined)[]): number | undefined => {
  const known = given.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

interface States {
  readonly isInitialized: boolean;
  readonly areReady: boolean;
  readonly isOver?: boolean;
}

/** Conditions of others, such as those of readiness gates, stay. */
function conditionsOf(pod: Pod, nowMs: number, { isInitialized, areReady, isOver = false }: States): PodCondition[] {
  const before = pod.status?.conditions ?? [];
  const statusOf = (type: string) => before.find((one) => one.type === type)?.status;
  const gates = (pod.spec?.readinessGates ?? []).every(({ conditionType }) => statusOf(conditionType) === "True");
  const why = isOver ? "PodCompleted" : "ContainersNotReady";
  const own: [type: string, isTrue: boolean, reason: string][] = [
    ["Initialized", isInitialized, "ContainersNotInitialized"],
    ["Ready", areReady && gates, areReady ? "ReadinessGatesNotReady" : why],
    ["ContainersReady", areReady, why],
    ["PodScheduled", true, ""],
  ];
  const made = own.map(([type, isTrue, reason]): PodCondition => {
    const status = isTrue ? "True" : "False";
    const old = before.find((one) => one.type === type);
    const time = old?.status === status && old.lastTransitionTime != null ? old.lastTransitionTime : timeText(nowMs);
    return { type, status, lastTransitionTime: time, ...(isTrue || reason === "" ? {} : { reason }) };
  });
  return [...made, ...before.filter(({ type }) => !own.some(([name]) => name === type))];
}

const sameStates = ({ status }: Pod, conditions: readonly PodCondition[]): boolean =>
  conditions.every((one) => status?.conditions?.some((old) => old.type === one.type && old.status === one.status));
