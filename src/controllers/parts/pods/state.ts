/** The state of a pod for controllers that count pods. */

import type { PodCondition } from "../../../api/core/v1/pod/status.ts";
import type { Pod } from "../../../api/core/v1/pod.ts";
import { parseInstant } from "../../../machinery/values/time.ts";

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export const isPodReady = (pod: Pod): boolean => podCondition(pod, "Ready")?.status === "True";

/** Neither finished nor terminating. */
export const isPodActive = (pod: Pod): boolean => !isPodFinished(pod) && !isDeleting(pod);

export const isPodFinished = (pod: Pod): boolean => pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";

/** Pods that have not ended. Failed ones stay until they are collected, thousands of them. */
export const unfinished = { name: "unfinished", has: (pod: Pod) => !isPodFinished(pod) };

export const isDeleting = (object: { metadata: { deletionTimestamp?: string | null } }): boolean =>
  object.metadata.deletionTimestamp !== undefined && object.metadata.deletionTimestamp !== null;

/** Being deleted, and its containers may still run. */
export const isTerminating = (pod: Pod): boolean => isDeleting(pod) && !isPodFinished(pod);

/** Milliseconds since 1970; undefined for a time that is not set. */
export function timeMs(text: string | null | undefined): number | undefined {
  const instant = text ? parseInstant(text) : undefined;
  return instant && instant.seconds * 1000 + Math.floor(instant.nanos / 1e6);
}

/**
 * When a ready pod counts as available: it must have been ready for `minReadySeconds`. Undefined for a pod that is not
 * ready, and for one whose condition has no time to count from.
 */
function availableFromMs(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = podCondition(pod, "Ready");
  if (ready?.status !== "True") return undefined;
  if (minReadySeconds === 0) return 0;
  const since = timeMs(ready.lastTransitionTime);
  return since === undefined ? undefined : since + minReadySeconds * 1000;
}

export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const from = availableFromMs(pod, minReadySeconds);
  return from !== undefined && (minReadySeconds === 0 || from < nowMs);
}

/** How long until the next of these pods becomes available without any further event; undefined: none will. */
export function nextAvailableInMs(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  if (minReadySeconds === 0) return undefined;
  let next: number | undefined;
  for (const pod of pods) {
    const from = availableFromMs(pod, minReadySeconds);
    if (from !== undefined && from >= nowMs && (next === undefined || from < next)) next = from;
  }
  // A pod is available strictly after its time.
  return next === undefined ? undefined : next - nowMs + 1;
}
