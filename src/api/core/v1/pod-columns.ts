/** What the Table of pods shows. */

import type { RowCondition } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { joined } from "../../columns.ts";
import type { PodSpec } from "./pod-spec.ts";

interface State {
  readonly waiting?: { readonly reason?: string };
  readonly running?: object;
  readonly terminated?: { readonly reason?: string; readonly signal?: number; readonly exitCode: number };
}
interface ContainerStatusLike {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state?: State;
}
export interface PodRow {
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly ContainerStatusLike[];
    readonly initContainerStatuses?: readonly ContainerStatusLike[];
  };
}

export const readyText = (pod: PodRow): string => {
  const ready = (pod.status?.containerStatuses ?? []).filter((one) => one.ready && one.state?.running).length;
  return `${ready}/${(pod.spec?.containers ?? []).length}`;
};

export const restarts = (pod: PodRow): number => {
  const initializing = initText(pod) !== undefined;
  const statuses = initializing ? pod.status?.initContainerStatuses : pod.status?.containerStatuses;
  return (statuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
};

/** One word on how the pod is doing: what keeps it from running, else its phase. */
export function statusText(pod: PodRow): string {
  let text = pod.status?.reason || pod.status?.phase || "";
  const init = initText(pod);
  if (init !== undefined) text = init;
  else {
    let running = false;
    for (const { state, ready } of [...(pod.status?.containerStatuses ?? [])].reverse()) {
      if (state?.waiting?.reason) text = state.waiting.reason;
      else if (state?.terminated) text = terminatedText(state.terminated, "");
      else if (ready && state?.running) running = true;
    }
    if (text === "Completed" && running) text = isReady(pod) ? "Running" : "NotReady";
  }
  if (pod.metadata.deletionTimestamp) return pod.status?.reason === "NodeLost" ? "Unknown" : "Terminating";
  return text;
}

const isReady = (pod: PodRow) => (pod.status?.conditions ?? []).some((c) => c.type === "Ready" && c.status === "True");

function terminatedText(terminated: NonNullable<State["terminated"]>, prefix: string): string {
  if (terminated.reason) return prefix + terminated.reason;
  return terminated.signal ? `${prefix}Signal:${terminated.signal}` : `${prefix}ExitCode:${terminated.exitCode}`;
}

/** What the first init container that is not done says; undefined: all are done. */
function initText(pod: PodRow): string | undefined {
  const total = (pod.spec?.initContainers ?? []).length;
  for (const [index, { state }] of (pod.status?.initContainerStatuses ?? []).entries()) {
    if (state?.terminated?.exitCode === 0) continue;
    if (state?.terminated) return terminatedText(state.terminated, "Init:");
    const waiting = state?.waiting?.reason;
    return waiting && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${index}/${total}`;
  }
  return undefined;
}

export const ipText = (pod: PodRow): string => pod.status?.podIPs?.[0]?.ip || pod.status?.podIP || "<none>";

export function gatesText(pod: PodRow): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const met = gates.filter(({ conditionType }) =>
    (pod.status?.conditions ?? []).some((c) => c.type === conditionType && c.status === "True"),
  );
  return `${met.length}/${gates.length}`;
}

/** Names and images of a template's containers, for the tables of those that make pods. */
export const containerNames = (spec: PodSpec | undefined): string =>
  joined((spec?.containers ?? []).map(({ name }) => name));
export const containerImages = (spec: PodSpec | undefined): string =>
  (spec?.containers ?? []).map(({ image }) => image ?? "").join(",") || "<none>";

/** Pods that have run to their end can be left out of a list by clients that know this. */
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
