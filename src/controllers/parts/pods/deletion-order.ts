/** Which pods are deleted first when there are too many: those whose loss costs the least. */

import type { Pod } from "../../../api/core/v1/pod.ts";
import { isPodActive, isPodReady, podCondition, timeMs } from "./state.ts";

export interface DeletionOrder {
  /** The annotation with the cost of a deletion; absent: costs do not count. */
  readonly costKey?: string | undefined;
  /** Active pods of the same workload, to find crowded nodes; absent: nodes do not count. */
  readonly related?: readonly Pod[];
}

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Sorts the pods, those to delete first in front. */
export function inDeletionOrder(pods: readonly Pod[], { costKey, related = [] }: DeletionOrder = {}): Pod[] {
  const crowd = new Map<string, number>();
  for (const pod of related) {
    if (!isPodActive(pod)) continue;
    const node = pod.spec?.nodeName ?? "";
    crowd.set(node, (crowd.get(node) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => ({
    pod,
    assigned: pod.spec?.nodeName ? 1 : 0,
    phase: phaseOrder[pod.status?.phase ?? ""] ?? 0,
    ready: isPodReady(pod) ? 1 : 0,
    cost: costKey === undefined ? 0 : deletionCost(pod, costKey),
    crowd: crowd.get(pod.spec?.nodeName ?? "") ?? 0,
    readyMs: timeMs(podCondition(pod, "Ready")?.lastTransitionTime),
    restarts: maxRestarts(pod),
    createdMs: timeMs(pod.metadata.creationTimestamp),
  }));
  ranked.sort(
    (a, b) =>
      a.assigned - b.assigned ||
      a.phase - b.phase ||
      a.ready - b.ready ||
      a.cost - b.cost ||
      b.crowd - a.crowd ||
      (a.ready === 1 ? newerFirst(a.readyMs, b.readyMs) : 0) ||
      b.restarts - a.restarts ||
      newerFirst(a.createdMs, b.createdMs),
  );
  return ranked.map(({ pod }) => pod);
}

/** An unset time comes before all others. */
const newerFirst = (a: number | undefined, b: number | undefined): number =>
  (b ?? Number.MAX_SAFE_INTEGER) - (a ?? Number.MAX_SAFE_INTEGER);

const maxRestarts = (pod: Pod): number =>
  Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));

/** Admission lets only whole numbers of 32 bits in; anything else counts as zero. */
function deletionCost(pod: Pod, key: string): number {
  const text = pod.metadata.annotations?.[key];
  const cost = text !== undefined && /^(?:0|-?[1-9][0-9]{0,9})$/.test(text) ? Number(text) : 0;
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}
