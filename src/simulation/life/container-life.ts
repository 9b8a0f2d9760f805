/**
 * The life of one simulated container, one step at a time:
 *
 *   waiting → running → started → ready → exited → running again, the first time at once, then after CrashLoopBackOff
 *
 * The step that it is at is read from its status.
 */

import type { Container } from "../../api/core/v1/pod/container.ts";
import type { ContainerStatus } from "../../api/core/v1/pod/status.ts";
import { waitLeftMs } from "../../base/clock.ts";
import { formatDuration } from "../../base/duration.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { Behaviour } from "./behaviour.ts";
import type { CommandRun, StartedRun } from "./command-run.ts";
import {
  backOffEvent,
  type ContainerEvent,
  failedEvent,
  probeKillEvent,
  startEvents,
  unhealthyEvent,
} from "./container-events.ts";
import { exactTime, type KnownTimes, type StepTimes } from "./exact-times.ts";
import { failedPull, imageIdOf } from "./images.ts";
import { livenessKillMs, readinessChanges, startupOf } from "./probes.ts";

/** As agents do it: the first delay before a container is restarted again, and the longest. */
const backoffFirstMs = 10_000;
const backoffMaxMs = 300_000;
/** After a run of this length the delays begin again. */
const backoffForgottenMs = 600_000;
/** The exit code of a container that a signal ended. */
export const killedExitCode = 137;

export interface ContainerContext {
  readonly nowMs: number;
  readonly times: KnownTimes;
  readonly behaviour: Behaviour;
  /** How long it runs, and how it exits, if nothing else ends it; undefined: it runs on. */
  readonly runForMs: number | undefined;
  readonly exitCode: number;
  /** The exit code with which a run with this status ends at once; undefined: it does not. */
  endsNow(status: ContainerStatus): number | undefined;
  /** Why it cannot be created now; undefined: it can. */
  cannotCreate?(): { readonly reason: string; readonly message: string } | undefined;
  /** How its command goes; undefined: its behaviour decides. */
  command?(run: StartedRun): CommandRun | undefined;
  restartsAfter(exitCode: number): boolean;
  /** "p_ns(uid)", for the message about a delay. */
  readonly podText: string;
  /** The uid of the pod. */
  readonly podUid: string;
  readonly reports: boolean;
}

export interface ContainerStep {
  readonly status: ContainerStatus;
  /** When the next step is due, from now; undefined: never by itself. */
  readonly reviewInMs: number | undefined;
  readonly times?: StepTimes;
  readonly events?: readonly ContainerEvent[];
}

export const waitingStatus = (
  { name, image }: Pick<Container, "name" | "image">,
  reason: string,
  message?: string,
): ContainerStatus => ({
  name,
  image: image ?? "",
  imageID: "",
  ready: false,
  started: false,
  restartCount: 0,
  state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
});

/** Whether the container has run, and nothing will start it again. */
export const isOver = ({ state }: ContainerStatus, context: Pick<ContainerContext, "restartsAfter">): boolean =>
  state?.terminated !== undefined && !context.restartsAfter(state.terminated.exitCode);

/** `before` undefined: it has never been started, and is started now. */
export function nextContainerStep(
  container: Container,
  before: ContainerStatus | undefined,
  context: ContainerContext,
): ContainerStep {
  const { state, lastState } = before ?? {};
  if (before === undefined || (state?.waiting !== undefined && lastState?.terminated === undefined))
    return (
      failedPull(container, before, context) ??
      refused(container, before, context) ??
      startContainer(container, undefined, context)
    );
  if (state?.running !== undefined) return whileRunning(container, before, context);
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined) return refused(container, before, context) ?? startContainer(container, before, context);
  if (isOver(before, context)) return { status: before, reviewInMs: undefined };
  const endedMs = exactTime(context.times, `end ${container.name}`, ended.finishedAt, context.nowMs);
  const waitMs = waitLeftMs(endedMs, backoffMs(before, context.times), context.nowMs);
  const last = { ...before, lastState: { terminated: ended } };
  if (waitMs <= 0) return refused(container, last, context) ?? startContainer(container, last, context);
  return { status: before, reviewInMs: waitMs };
}

/** The first restart is immediate. So is the one after a long run, and the delays then grow from the beginning again. */
function backoffMs(status: ContainerStatus, times: KnownTimes): number {
  const grown = status.restartCount - (times.get(calmStep(status)) ?? 0);
  if (grown <= 0 || wasLong(status)) return 0;
  return Math.min(backoffFirstMs * 2 ** (grown - 1), backoffMaxMs);
}

function wasLong({ state, lastState }: ContainerStatus): boolean {
  const { startedAt, finishedAt } = state?.terminated ?? lastState?.terminated ?? {};
  return Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "") >= backoffForgottenMs;
}

/** Under this name an agent remembers how often the container had been restarted when its last long run ended. */
const calmStep = ({ name }: ContainerStatus): string => `calm ${name}`;

/** What the agent remembers of a container that has just exited. */
export const endTimes = (
  status: ContainerStatus,
  nowMs: number,
): readonly (readonly [step: string, value: number])[] => [
  [`end ${status.name}`, nowMs],
  ...(wasLong(status) ? [[calmStep(status), status.restartCount] as const] : []),
];

function startContainer(
  container: Container,
  last: ContainerStatus | undefined,
  context: ContainerContext,
): ContainerStep {
  const { nowMs } = context;
  const status: ContainerStatus = {
    ...waitingStatus(container, ""),
    restartCount: last === undefined ? 0 : last.restartCount + 1,
    state: { running: { startedAt: timeText(nowMs) } },
    ...(last?.lastState === undefined ? {} : { lastState: last.lastState }),
    imageID: imageIdOf(container.image ?? ""),
    containerID: `simulated://${context.podUid}/${container.name}/${last === undefined ? 0 : last.restartCount + 1}`,
  };
  const begin = `run ${container.name}`;
  const times = new Map([[begin, nowMs]]);
  // Not a copy: a pod may have thousands of containers.
  const known: KnownTimes = { get: (step) => (step === begin ? nowMs : context.times.get(step)) };
  const next = whileRunning(container, status, { ...context, times: known });
  return { ...next, times, events: [...startEvents(container, context.reports), ...(next.events ?? [])] };
}

/** As agents do it: how soon a container is tried again that could not be created. */
const refusedRetryMs = 10_000;

/** It waits until it can be created; undefined: it can. */
function refused(
  container: Container,
  before: ContainerStatus | undefined,
  context: ContainerContext,
): ContainerStep | undefined {
  const refusal = context.cannotCreate?.();
  if (refusal === undefined) return undefined;
  const known = before ?? waitingStatus(container, "");
  const { reason, message } = refusal;
  const isSaid = known.state?.waiting?.reason === reason && known.state.waiting.message === message;
  const status = isSaid ? known : { ...known, ready: false, started: false, state: { waiting: { reason, message } } };
  return { status, reviewInMs: refusedRetryMs, events: isSaid ? [] : [failedEvent(container.name, message)] };
}

function whileRunning(container: Container, before: ContainerStatus, context: ContainerContext): ContainerStep {
  const { nowMs, times, behaviour } = context;
  const startedAtMs = exactTime(times, `run ${container.name}`, before.state?.running?.startedAt, nowMs);
  const elapsedMs = nowMs - startedAtMs;
  const run = context.command?.({ number: before.restartCount, startedMs: startedAtMs });
  if (run?.at === "behind" && context.endsNow(before) === undefined) return { status: before, reviewInMs: undefined };
  const command = run?.at === "known" ? run : undefined;
  const startup = startupOf(container.startupProbe, behaviour.startupMs);
  const end = commandEnd(command, elapsedMs) ?? endOf(container, before, context, startup, run !== undefined);
  if (end !== undefined && end.atMs <= elapsedMs) return exitContainer(container, before, context, end);
  const started = elapsedMs >= startup.startedMs && command?.isStarted !== false;
  const changes = readinessChanges(container.readinessProbe, behaviour.readinessFails, startup.startedMs);
  const probed = changes.filter((ms) => ms <= elapsedMs).length % 2 === 1;
  const isReady = started && probed && command?.isReady !== false;
  const ready = isReady && !behaviour.neverReady;
  const next = [startup.startedMs, ...changes, ...(end === undefined ? [] : [end.atMs])].filter((ms) => ms > elapsedMs);
  const reviewInMs = next.length === 0 ? undefined : Math.min(...next) - elapsedMs;
  const isSame = before.ready === ready && before.started === started;
  const hasFailed = before.ready && !isReady && container.readinessProbe !== undefined;
  const events = hasFailed ? [unhealthyEvent(container.name, "Readiness", container.readinessProbe)] : [];
  return { status: isSame ? before : { ...before, ready, started }, reviewInMs, events };
}

interface ContainerEnd {
  /** Since its start. */
  readonly atMs: number;
  readonly exitCode: number;
  /** Why the agent ended it; undefined: it exited itself. */
  readonly probe?: "Startup" | "Liveness";
  /** What it left as its message. */
  readonly message?: string | undefined;
}

/** Undefined: its command still runs, or there is none. */
function commandEnd(
  command: (CommandRun & { readonly at: "known" }) | undefined,
  atMs: number,
): ContainerEnd | undefined {
  return command?.end && { atMs, ...command.end };
}

/** What ends the container first; undefined: nothing does. */
function endOf(
  { livenessProbe }: Container,
  status: ContainerStatus,
  { behaviour, runForMs, exitCode, endsNow }: ContainerContext,
  { startedMs, killMs }: ReturnType<typeof startupOf>,
  hasCommand: boolean,
): ContainerEnd | undefined {
  const now = endsNow(status);
  const liveMs = livenessKillMs(livenessProbe, behaviour.livenessFails, startedMs);
  const ends: ContainerEnd[] = [
    ...(now === undefined ? [] : [{ atMs: 0, exitCode: now }]),
    ...(runForMs === undefined || hasCommand ? [] : [{ atMs: runForMs, exitCode }]),
    ...(killMs === undefined ? [] : [{ atMs: killMs, exitCode: killedExitCode, probe: "Startup" as const }]),
    ...(liveMs === undefined ? [] : [{ atMs: liveMs, exitCode: killedExitCode, probe: "Liveness" as const }]),
  ];
  return ends.reduce<ContainerEnd | undefined>(
    (first, one) => (first && first.atMs <= one.atMs ? first : one),
    undefined,
  );
}

function exitContainer(
  container: Container,
  before: ContainerStatus,
  context: ContainerContext,
  end: ContainerEnd,
): ContainerStep {
  const { name } = container;
  const { status, reviewInMs } = endedStatus(before, end.exitCode, context, end.message);
  const { startupProbe, livenessProbe } = container;
  const probe = end.probe === "Startup" ? startupProbe : livenessProbe;
  const events = [
    ...(end.probe === undefined ? [] : [unhealthyEvent(name, end.probe, probe), probeKillEvent(name, end.probe)]),
    ...(status.state?.waiting === undefined ? [] : [backOffEvent(name, context.podText, context.reports)]),
  ];
  return { status, reviewInMs, times: new Map(endTimes(status, context.nowMs)), events };
}

/** The status of a container that has just exited, and when it is started again; undefined: never. `told`: its message. */
export function endedStatus(
  before: ContainerStatus,
  exitCode: number,
  context: Pick<ContainerContext, "nowMs" | "times" | "restartsAfter" | "podText" | "behaviour">,
  told?: string,
): Pick<ContainerStep, "status" | "reviewInMs"> {
  const { nowMs, times, restartsAfter, podText, behaviour } = context;
  const startedAt = before.state?.running?.startedAt;
  const message = behaviour.terminationMessages.get(before.name) ?? behaviour.terminationMessages.get("") ?? told;
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? "Completed" : "Error",
    ...(message === undefined ? {} : { message }),
    ...(startedAt == null ? {} : { startedAt }),
    finishedAt: timeText(nowMs),
    ...(before.containerID === undefined ? {} : { containerID: before.containerID }),
  };
  const ended: ContainerStatus = { ...before, ready: false, started: false, state: { terminated } };
  if (!restartsAfter(exitCode)) return { status: ended, reviewInMs: undefined };
  const waitMs = backoffMs(ended, times);
  if (waitMs === 0) return { status: ended, reviewInMs: 0 };
  const text = formatDuration(BigInt(waitMs) * 1_000_000n);
  const delay = `back-off ${text} restarting failed container=${before.name} pod=${podText}`;
  const waiting = { reason: "CrashLoopBackOff", message: delay };
  return { status: { ...ended, state: { waiting }, lastState: { terminated } }, reviewInMs: waitMs };
}
