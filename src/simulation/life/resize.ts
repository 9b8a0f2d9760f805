/**
 * The resources of running containers, as agents since 1.33 tell them. A resize goes through two steps, if the node has room for it:
 *
 *   asked for → allocated, PodResizeInProgress → in force
 *
 * Otherwise the pod is PodResizePending: Infeasible on this node, or Deferred until others leave it.
 */

import type { Container } from "../../api/core/v1/pod/container.ts";
import { requestsOfPod } from "../../api/core/v1/pod/pod-requests.ts";
import type { ContainerStatus, PodCondition } from "../../api/core/v1/pod/status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { milliValue, quantityOf, wholeValue } from "../../machinery/values/quantity.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { PodContext } from "./context.ts";

/** What containers may get on a node: thousandths of a cpu, and bytes. */
export interface ResizeRoom {
  readonly capacity: Readonly<Record<ResizedResource, number>>;
  /** What the other pods of the node request. */
  readonly usedByOthers: Readonly<Record<ResizedResource, number>>;
}

export type Resize =
  /** Nothing has changed, or agents of this level do not resize. */
  | { readonly at: "none" }
  | { readonly at: "allocated" }
  | { readonly at: "in force" }
  | { readonly at: "pending"; readonly reason: "Infeasible" | "Deferred"; readonly message: string };

/** Resources of init containers, and of sidecars, count when they start. */
export const noResize: Resize = { at: "none" };

export type ResizedResource = (typeof resizedResources)[number];
export const resizedResources = ["cpu", "memory"] as const;

/** How long a pod waits until its agent looks for room again. */
export const deferredRetryMs = 10_000;

/** The requests of a pod, in the units of ResizeRoom. */
export function requestedBy({ spec }: Pod): Readonly<Record<ResizedResource, number>> {
  if (spec === undefined) return { cpu: 0, memory: 0 };
  return {
    cpu: Number(milliValue(requestsOfPod(spec, "cpu"))) + overheadOf(spec, "cpu"),
    memory: Number(wholeValue(requestsOfPod(spec, "memory"))) + overheadOf(spec, "memory"),
  };
}

const overheadOf = ({ overhead }: NonNullable<Pod["spec"]>, name: ResizedResource): number => {
  const quantity = quantityOf(overhead?.[name] ?? "0");
  return Number(name === "cpu" ? milliValue(quantity) : wholeValue(quantity));
};

export function resizeOf(pod: Pod, { reports, resizeRoom }: Pick<PodContext, "reports" | "resizeRoom">): Resize {
  if (!reports) return noResize;
  const statuses = new Map((pod.status?.containerStatuses ?? []).map((status) => [status.name, status]));
  const changed = (pod.spec?.containers ?? []).flatMap((container) => {
    const status = statuses.get(container.name);
    const isRunning = status?.state?.running !== undefined && status.resources !== undefined;
    return isRunning && !sameValue(status.resources, wantedOf(container)) ? [{ container, status }] : [];
  });
  if (changed.length === 0) return noResize;
  const isAllocated = ({ container, status }: (typeof changed)[number]) =>
    sameValue(status.allocatedResources ?? {}, container.resources?.requests ?? {});
  const isInProgress = pod.status?.conditions?.some(({ type }) => type === "PodResizeInProgress") === true;
  if (isInProgress && changed.every(isAllocated)) return { at: "in force" };
  return obstacleTo(requestedBy(pod), resizeRoom()) ?? { at: "allocated" };
}

function obstacleTo(
  wanted: ReturnType<typeof requestedBy>,
  { capacity, usedByOthers: used }: ResizeRoom,
): Resize | undefined {
  for (const name of resizedResources)
    if (wanted[name] > capacity[name]) {
      const amounts = `requested: ${wanted[name]}, capacity: ${capacity[name]}`;
      return { at: "pending", reason: "Infeasible", message: `Node didn't have enough capacity: ${name}, ${amounts}` };
    }
  for (const name of resizedResources)
    if (wanted[name] + used[name] > capacity[name]) {
      const amounts = `requested: ${wanted[name]}, used: ${used[name]}, capacity: ${capacity[name]}`;
      return { at: "pending", reason: "Deferred", message: `Node didn't have enough resource: ${name}, ${amounts}` };
    }
  return undefined;
}

const wantedOf = ({ resources: { limits, requests } = {} }: Container) => ({
  ...(limits && { limits }),
  ...(requests && { requests }),
});

/** The status with the resources that the container has after this step. */
export function withResources(
  container: Container,
  status: ContainerStatus,
  resize: Resize,
  reports: boolean,
): ContainerStatus {
  if (!reports || status.state?.running === undefined || resize.at === "pending") return status;
  const wanted = wantedOf(container);
  const allocated = container.resources?.requests && { allocatedResources: container.resources.requests };
  if (resize.at === "allocated" && status.resources !== undefined) return { ...status, ...allocated };
  return sameValue(status.resources, wanted) ? status : { ...status, resources: wanted, ...allocated };
}

/** Whether a resource has changed that the container only gets by a restart. */
export function needsRestart(
  container: Container,
  { state, resources: inForce }: ContainerStatus,
  resize: Resize,
): boolean {
  if (resize.at !== "in force" || inForce === undefined || state?.running === undefined) return false;
  const { resources, resizePolicy } = container;
  return (resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      (resources?.requests?.[resourceName] !== inForce.requests?.[resourceName] ||
        resources?.limits?.[resourceName] !== inForce.limits?.[resourceName]),
  );
}

const resizeTypes: readonly string[] = ["PodResizePending", "PodResizeInProgress"];

/** The conditions with the one of this resize, and without that of an earlier one. */
export function withResizeCondition(
  conditions: readonly PodCondition[],
  { metadata: { generation } }: Pod,
  resize: Resize,
  nowMs: number,
): PodCondition[] {
  const others = conditions.filter(({ type }) => !resizeTypes.includes(type));
  if (resize.at === "none" || resize.at === "in force") return others;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const type = resize.at === "pending" ? "PodResizePending" : "PodResizeInProgress";
  const why = resize.at === "pending" ? { reason: resize.reason, message: resize.message } : {};
  const old = conditions.find((one) => one.type === type);
  const lastTransitionTime = old?.lastTransitionTime ?? timeText(nowMs);
  return [...others, { type, status: "True", ...seen, ...why, lastTransitionTime }];
}
