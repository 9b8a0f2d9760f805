/** Which pods wait for a scheduler that is not there, and the Event that says so. */

import type { Lease } from "../../api/coordination/v1/lease.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { controllerOf } from "../parts/ownership/controller-ref.ts";
import { isDeleting, timeMs } from "../parts/pods/state.ts";
import type { Plan } from "../plan.ts";

/** How long a pod waits before it is reported: a scheduler or a test may be about to place it. */
export const unscheduledGraceMs = 10_000;
/** No more pods of one owner are reported: they all wait for the same. */
export const reportsPerOwnerMax = 10;
/** A scheduler renews its lease every few seconds. */
const leaseTimeoutMs = 60_000;

const message =
  'no scheduler runs here, so the pod gets no node: use "orch up --nodes=1", which has a scheduler and simulated nodes, start "orch scheduler" with the configuration of an administrator, or set spec.nodeName';

/** Whether the pod waits for the default scheduler. */
export const isUnscheduled = (pod: Pod): boolean =>
  !pod.spec?.nodeName &&
  (pod.spec?.schedulerName ?? "default-scheduler") === "default-scheduler" &&
  pod.status?.phase === "Pending" &&
  !isDeleting(pod);

/** Pods are reported by the owner they have in common. */
export const ownerKeyOf = (pod: Pod): string => controllerOf(pod)?.uid ?? pod.metadata.uid ?? "";

/** `lease`: that of the scheduler, which it holds while it works. */
export function hasScheduler(lease: Lease | undefined, nowMs: number): boolean {
  const renewedMs = timeMs(lease?.spec?.renewTime);
  return Boolean(lease?.spec?.holderIdentity) && renewedMs !== undefined && nowMs - renewedMs < leaseTimeoutMs;
}

/** `reported`: uids of the owner's pods that were reported, to which these are added. */
export function planReports(pods: readonly Pod[], reported: Set<string>, nowMs: number): Plan[] {
  const plans: Plan[] = [];
  for (const pod of pods) {
    const { uid = "", creationTimestamp } = pod.metadata;
    if (reported.size >= reportsPerOwnerMax) break;
    if (reported.has(uid) || nowMs - (timeMs(creationTimestamp) ?? nowMs) < unscheduledGraceMs) continue;
    reported.add(uid);
    plans.push({ about: pod, events: [{ type: "Warning", reason: "FailedScheduling", message }] });
  }
  return plans;
}
