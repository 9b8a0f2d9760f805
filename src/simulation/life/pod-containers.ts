/** The steps of all containers of a pod: init containers one after the other, then the others at once, sidecars beside them. */

import type { Container } from "../../api/core/v1/pod/container.ts";
import type { ContainerStatus } from "../../api/core/v1/pod/status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Steps } from "../../base/time-slice.ts";
import type { ContainerEvent } from "./container-events.ts";
import {
  type ContainerContext,
  endedStatus,
  endTimes,
  isOver,
  nextContainerStep,
  waitingStatus,
} from "./container-life.ts";
import type { PodContext } from "./context.ts";
import type { StepTimes } from "./exact-times.ts";
import { needsRestart, noResize, type Resize, withResources } from "./resize.ts";
import { isSidecar, restartsAfter, restartsInit } from "./restarts.ts";
import type { StagesNow } from "./stages-now.ts";

type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

interface RanContainers {
  readonly inits: readonly ContainerStatus[];
  readonly mains: readonly ContainerStatus[];
  readonly ephemerals: readonly ContainerStatus[];
  readonly isInitialized: boolean;
  readonly phase: Phase;
  /** A container has exited in this step. */
  readonly hasExited: boolean;
  readonly reviewInMs: number | undefined;
  readonly times: StepTimes;
  readonly events: readonly ContainerEvent[];
}

export function* runContainers(pod: Pod, context: PodContext, resize: Resize): Steps<RanContainers> {
  const { spec, status } = pod;
  const steps = new TakenSteps();
  const told = new Map(
    [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map((one) => [one.name, one]),
  );
  const before = (name: string) => told.get(name);
  const hasBegun = (status?.containerStatuses ?? []).some(hasRun);
  let isBlocked = false;
  let hasFailed = false;
  const initOf = (container: Container): ContainerStatus => {
    const known = before(container.name);
    if (isBlocked && !(known !== undefined && hasRun(known)))
      return known ?? waitingStatus(container, "PodInitializing");
    const isDone = known?.state?.terminated?.exitCode === 0 && !isSidecar(container);
    const next = isDone ? known : steps.take(container, known, initContext(pod, container, context));
    const hasPassed = isSidecar(container) ? next.started === true : next.state?.terminated?.exitCode === 0;
    if (!hasPassed) isBlocked = true;
    if (!hasPassed && isOver(next, initContext(pod, container, context))) hasFailed = true;
    return isSidecar(container) || next.ready === hasPassed ? next : { ...next, ready: hasPassed };
  };
  const inits = yield* inParts(spec?.initContainers, initOf);
  const isInitialized = !isBlocked || hasBegun;
  const mainOf = (container: Container): ContainerStatus => {
    const known = before(container.name);
    if (!isInitialized) return known ?? waitingStatus(container, "PodInitializing");
    const next = steps.take(container, known, mainContext(pod, container, context, resize));
    return withResources(container, next, resize, context.reports);
  };
  const mains = yield* inParts(spec?.containers, mainOf);
  const ephemerals = isInitialized ? runEphemerals(pod, context, steps) : [];
  const phase = hasFailed ? "Failed" : isInitialized ? phaseOf(pod, mains) : "Pending";
  return {
    inits: phase === "Succeeded" || phase === "Failed" ? inits.map((one) => stopped(one, 0, context)) : inits,
    mains,
    ephemerals:
      phase === "Succeeded" || phase === "Failed" ? ephemerals.map((one) => stopped(one, 0, context)) : ephemerals,
    isInitialized,
    phase,
    ...steps.result(),
  };
}

/** A pod may have thousands of containers. */
export const containersPerStep = 50;

function* inParts<T>(containers: readonly Container[] = [], each: (container: Container) => T): Steps<T[]> {
  const results: T[] = [];
  for (const container of containers) {
    results.push(each(container));
    if (results.length % containersPerStep === 0) yield;
  }
  return results;
}

/** Each starts when it is seen and runs on, without probes or restarts; real agents never call one ready. */
function runEphemerals(pod: Pod, context: PodContext, steps: TakenSteps): readonly ContainerStatus[] {
  const before = new Map((pod.status?.ephemeralContainerStatuses ?? []).map((one) => [one.name, one]));
  return (pod.spec?.ephemeralContainers ?? []).map((container): ContainerStatus => {
    const known = before.get(container.name);
    const next = steps.take(container, known, {
      ...mainContext(pod, container, context, noResize),
      runForMs: undefined,
      restartsAfter: () => false,
    });
    return next.ready ? { ...next, ready: false } : next;
  });
}

/** Stages may end the containers, or the whole pod. */
export function endContainers(
  pod: Pod,
  ran: RanContainers,
  { due, end }: StagesNow,
  context: PodContext,
): RanContainers {
  const { nowMs, times: known, behaviour } = context;
  const exitCode = due.findLast(({ next }) => next.exitCode !== undefined)?.next.exitCode;
  if (end !== undefined) {
    const code = end.exitCode ?? (end.phase === "Failed" ? 1 : 0);
    const stop = (one: ContainerStatus) => stopped(one, code, context);
    const [mains, inits, ephemerals] = [ran.mains.map(stop), ran.inits.map(stop), ran.ephemerals.map(stop)];
    return { ...ran, phase: end.phase, mains, inits, ephemerals, hasExited: true };
  }
  if (exitCode === undefined) return ran;
  const containers = new Map((pod.spec?.containers ?? []).map((one) => [one.name, one]));
  const times = new Map(ran.times);
  const mains = ran.mains.map((one): ContainerStatus => {
    const container = containers.get(one.name);
    if (one.state?.running === undefined || container === undefined) return one;
    const tools = {
      nowMs,
      times: known,
      behaviour,
      podText: podText(pod),
      restartsAfter: (code: number) => restartsAfter(container, pod.spec, code),
    };
    const { status } = endedStatus(one, exitCode, tools);
    for (const [step, value] of endTimes(status, nowMs)) times.set(step, value);
    return status;
  });
  return { ...ran, mains, times, phase: phaseOf(pod, mains), hasExited: true };
}

const hasRun = ({ state, lastState }: ContainerStatus): boolean =>
  state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;

/** What does not run any more stays as it is. */
function stopped(
  status: ContainerStatus,
  exitCode: number,
  { nowMs, behaviour }: Pick<PodContext, "nowMs" | "behaviour">,
): ContainerStatus {
  if (status.state?.terminated !== undefined) return status;
  const once = { nowMs, behaviour, times: new Map(), podText: "", restartsAfter: () => false };
  return endedStatus(status, exitCode, once).status;
}

/** As agents decide it from the containers alone. */
function phaseOf({ spec }: Pod, mains: readonly ContainerStatus[]): Phase {
  if (mains.some((one) => !hasRun(one))) return "Pending";
  const containers = new Map((spec?.containers ?? []).map((one) => [one.name, one]));
  const codes = mains.map(({ name, state }) => {
    const code = state?.terminated?.exitCode;
    const container = containers.get(name);
    return code === undefined || (container !== undefined && restartsAfter(container, spec, code)) ? undefined : code;
  });
  if (codes.some((code) => code === undefined)) return "Running";
  return codes.every((code) => code === 0) ? "Succeeded" : "Failed";
}

const podText = ({ metadata: { name = "", namespace = "", uid = "" } }: Pod): string => `${name}_${namespace}(${uid})`;

/** A run ends at once if its pod says so, or if its new resources need another run. */
const endsNow =
  (container: Container, { behaviour }: PodContext, resize: Resize) =>
  (status: ContainerStatus): number | undefined => {
    const asked = behaviour.exits.get(container.name);
    if (asked !== undefined && status.restartCount <= asked.restarts) return asked.exitCode;
    return needsRestart(container, status, resize) ? 0 : undefined;
  };

/** What annotations declare counts before the command. */
function commandOf(
  container: Container,
  { commands }: PodContext,
  isDeclared: boolean,
): Pick<ContainerContext, "cannotCreate" | "command"> {
  if (commands === undefined) return {};
  const cannotCreate = () => commands.refusal(container.name);
  return isDeclared ? { cannotCreate } : { cannotCreate, command: (run) => commands.run(container, run) };
}

function mainContext(pod: Pod, container: Container, context: PodContext, resize: Resize): ContainerContext {
  const { behaviour } = context;
  return {
    ...context,
    endsNow: endsNow(container, context, resize),
    runForMs: behaviour.runForMs,
    ...commandOf(container, context, behaviour.declaresRun),
    exitCode: behaviour.exitCode,
    restartsAfter: (code) => restartsAfter(container, pod.spec, code),
    podText: podText(pod),
    podUid: pod.metadata.uid ?? "",
  };
}

function initContext(pod: Pod, container: Container, context: PodContext): ContainerContext {
  const { behaviour } = context;
  return {
    ...context,
    endsNow: endsNow(container, context, noResize),
    runForMs: isSidecar(container) ? undefined : behaviour.initMs,
    ...commandOf(container, context, behaviour.declaresInit),
    exitCode: behaviour.initExitCode,
    restartsAfter: (code) => restartsInit(container, pod.spec, code),
    podText: podText(pod),
    podUid: pod.metadata.uid ?? "",
  };
}

/** Takes the steps of containers, and remembers what they have in common. */
class TakenSteps {
  readonly #times = new Map<string, number>();
  readonly #events: ContainerEvent[] = [];
  #reviewInMs: number | undefined;
  #hasExited = false;

  take(container: Container, before: ContainerStatus | undefined, context: ContainerContext): ContainerStatus {
    const { status, reviewInMs, times, events = [] } = nextContainerStep(container, before, context);
    if (reviewInMs !== undefined) this.#reviewInMs = Math.min(reviewInMs, this.#reviewInMs ?? reviewInMs);
    for (const [step, ms] of times ?? []) this.#times.set(step, ms);
    this.#events.push(...events);
    this.#hasExited ||= before?.state?.running !== undefined && status.state?.running === undefined;
    return status;
  }

  result(): Pick<RanContainers, "hasExited" | "reviewInMs" | "times" | "events"> {
    return {
      hasExited: this.#hasExited,
      reviewInMs: this.#reviewInMs,
      times: this.#times,
      events: this.#events,
    };
  }
}
