/** Why a node refuses a pod that names it, beside the pods that it has taken already; in the words of real agents. */

import { type HostPort, hostPortsOf, portConflicts } from "../../api/core/v1/pod/host-ports.ts";
import type { PodStatus } from "../../api/core/v1/pod/status.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { timeText } from "../../machinery/values/time.ts";
import { observedGeneration } from "./conditions.ts";
import type { PodContext } from "./context.ts";
import { type ResizedResource, requestedBy, resizedResources } from "./resize.ts";

/** Pods, thousandths of a cpu, and bytes. */
export type NodeAmounts = Readonly<Record<ResizedResource | "pods", number>>;

export interface UsedAmounts extends NodeAmounts {
  readonly ports: readonly HostPort[];
}

export interface PodRefusal {
  readonly reason: string;
  readonly message: string;
}

/** The first of the reasons, in the order of real agents. */
export function refusalOf(pod: Pod, used: UsedAmounts, node: NodeAmounts): PodRefusal | undefined {
  const wanted: NodeAmounts = { pods: 1, ...requestedBy(pod) };
  for (const name of ["pods", ...resizedResources] as const)
    if (wanted[name] > 0 && wanted[name] + used[name] > node[name])
      return tooLittle(name, wanted[name], used[name], node[name]);
  const isTaken = portConflicts(hostPortsOf(pod.spec))(used.ports);
  return isTaken ? { reason: "NodePorts", message: "Predicate NodePorts failed" } : undefined;
}

const tooLittle = (name: string, requested: number, used: number, capacity: number): PodRefusal => ({
  reason: `OutOf${name}`,
  message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
});

/** No container of such a pod is ever created. */
export const refusedStatus = (
  pod: Pod,
  { reason, message }: PodRefusal,
  { nowMs, reports }: Pick<PodContext, "nowMs" | "reports">,
): PodStatus => ({
  ...pod.status,
  phase: "Failed",
  reason,
  message: `${reports ? "Pod was rejected:" : "Pod"} ${message}`,
  startTime: timeText(nowMs),
  ...observedGeneration(pod, reports),
});
