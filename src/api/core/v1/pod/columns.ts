/** What the Table of pods shows. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { RowCondition } from "../../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { ageText } from "../../../columns.ts";
import { has } from "../../../features.ts";
import type { PodSpec } from "./spec.ts";

interface State {
  readonly waiting?: { readonly reason?: string };
  readonly running?: object;
  readonly terminated?: { readonly reason?: string; readonly signal?: number; readonly exitCode: number };
}
interface ContainerStatusLike {
  readonly name: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly lastState?: { readonly terminated?: { readonly finishedAt?: string | null } };
  readonly state?: State;
}
interface PodRow {
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly containerStatuses?: readonly ContainerStatusLike[];
    readonly initContainerStatuses?: readonly ContainerStatusLike[];
  };
}

/** Containers count once those before them are done; sidecars count as soon as they have started. */
export const readyText = (pod: PodRow, environment: Environment): string => {
  const names = sidecarsOf(pod);
  const init = beginning(pod);
  const sidecars = (pod.status?.initContainerStatuses ?? [])
    .slice(0, init?.index)
    .filter((status) => status.ready && isStartedSidecar(status, names) && status.state?.terminated?.exitCode !== 0);
  const ready = containersOf(pod, init, environment).filter(({ ready, state }) => ready && state?.running);
  return `${sidecars.length + ready.length}/${(pod.spec?.containers ?? []).length + names.size}`;
};

export const restarts = (pod: PodRow, environment: Environment): number =>
  counted(pod, environment).reduce((sum, { restartCount }) => sum + restartCount, 0);

/** The containers whose restarts are shown: while the pod begins, init containers that have run so far; then sidecars and the others. */
function counted(pod: PodRow, environment: Environment): readonly ContainerStatusLike[] {
  const init = beginning(pod);
  const begun = (pod.status?.initContainerStatuses ?? []).slice(0, init && init.index + 1);
  if (!hasBegun(pod, init, environment)) return begun;
  const sidecars = sidecarsOf(pod);
  return [...begun.filter(({ name }) => sidecars.has(name)), ...(pod.status?.containerStatuses ?? [])];
}

/** Also when the last one happened: "3 (5m ago)". */
export const restartsText = (pod: PodRow, environment: Environment): string => {
  const statuses = counted(pod, environment);
  const ends = statuses.flatMap(({ lastState }) => lastState?.terminated?.finishedAt ?? []).sort();
  const count = restarts(pod, environment);
  const last = ends.at(-1);
  return count === 0 || last === undefined ? String(count) : `${count} (${ageText(last, environment)} ago)`;
};

const gatedReason = "SchedulingGated";

/** One word on how the pod is doing: what keeps it from running, else its phase. */
export function statusText(pod: PodRow, environment: Environment): string {
  const isGated = pod.status?.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === gatedReason);
  let text = isGated ? gatedReason : pod.status?.reason || pod.status?.phase || "";
  const init = beginning(pod);
  if (init !== undefined) text = init.text;
  let running = false;
  for (const { state, ready } of [...containersOf(pod, init, environment)].reverse()) {
    if (state?.waiting?.reason) text = state.waiting.reason;
    else if (state?.terminated) text = terminatedText(state.terminated, "");
    else if (ready && state?.running) running = true;
  }
  if (text === "Completed" && running) text = isTrue(pod, "Ready") ? "Running" : "NotReady";
  if (pod.metadata.deletionTimestamp) return pod.status?.reason === "NodeLost" ? "Unknown" : "Terminating";
  return text;
}

const isTrue = (pod: PodRow, type: string) =>
  (pod.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");

function terminatedText(terminated: NonNullable<State["terminated"]>, prefix: string): string {
  if (terminated.reason) return prefix + terminated.reason;
  return terminated.signal ? `${prefix}Signal:${terminated.signal}` : `${prefix}ExitCode:${terminated.exitCode}`;
}

/** Names of the init containers that keep running beside the others. */
const sidecarsOf = (pod: PodRow): ReadonlySet<string> =>
  new Set(
    (pod.spec?.initContainers ?? []).flatMap(({ name, restartPolicy }) => (restartPolicy === "Always" ? name : [])),
  );

const isStartedSidecar = ({ name, started }: ContainerStatusLike, sidecars: ReadonlySet<string>): boolean =>
  started === true && sidecars.has(name);

interface Beginning {
  readonly index: number;
  readonly text: string;
}

/** A pod that has begun once keeps its containers when a sidecar fails later. */
const hasBegun = (pod: PodRow, init: Beginning | undefined, environment: Environment): boolean =>
  init === undefined || (has(environment, "restartableInitContainers") && isTrue(pod, "Initialized"));

const containersOf = (pod: PodRow, init: Beginning | undefined, environment: Environment) =>
  hasBegun(pod, init, environment) ? (pod.status?.containerStatuses ?? []) : [];

/** The state of the first init container that others wait for, and its position; undefined: they wait for none. */
function beginning(pod: PodRow): Beginning | undefined {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const sidecars = sidecarsOf(pod);
  const index = statuses.findIndex(
    (status) => status.state?.terminated?.exitCode !== 0 && !isStartedSidecar(status, sidecars),
  );
  const state = statuses[index]?.state;
  if (index < 0) return undefined;
  if (state?.terminated) return { index, text: terminatedText(state.terminated, "Init:") };
  const waiting = state?.waiting?.reason;
  if (waiting && waiting !== "PodInitializing") return { index, text: `Init:${waiting}` };
  return { index, text: `Init:${index}/${(pod.spec?.initContainers ?? []).length}` };
}

export const ipText = (pod: PodRow): string => pod.status?.podIPs?.[0]?.ip || pod.status?.podIP || "<none>";

export function gatesText(pod: PodRow): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const conditions = (pod.status?.conditions ?? []).filter(({ status }) => status === "True");
  const isMet = new Set(conditions.map(({ type }) => type));
  const met = gates.filter(({ conditionType }) => isMet.has(conditionType));
  return `${met.length}/${gates.length}`;
}

/** Names and images of a template's containers, for the tables of those that make pods. */
export const containerNames = (spec: PodSpec | undefined): string =>
  (spec?.containers ?? []).map(({ name }) => name).join(",");
export const containerImages = (spec: PodSpec | undefined): string =>
  (spec?.containers ?? []).map(({ image }) => image ?? "").join(",");

/** Marks finished pods, which clients may omit from a list. */
export function finishedConditions({ status }: { readonly status?: { readonly phase?: string } }): RowCondition[] {
  const ended = (reason: string, message: string) => [{ type: "Completed", status: "True", reason, message }];
  switch (status?.phase) {
    case "Succeeded":
      return ended("Succeeded", "The pod has completed successfully.");
    case "Failed":
      return ended("Failed", "The pod failed.");
    default:
      return [];
  }
}
