/** Which pods are garbage: too many finished ones, those of deleted nodes, and terminating ones that were never scheduled. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { type Disruption, markDisrupted } from "../parts/pods/disruption.ts";
import { isDeleting, isPodFinished, timeMs } from "../parts/pods/state.ts";
import { oneAfterOther, type Plan, read, remove } from "../plan.ts";

const livePhases: readonly (string | undefined)[] = ["Pending", "Running", "Unknown"];

export const hasEnded = ({ status }: Pod): boolean => !livePhases.includes(status?.phase);

/** The oldest that have ended, beyond `threshold`. Not above zero: all are kept. */
export function surplusPods(pods: readonly Pod[], threshold: number): Pod[] {
  if (threshold <= 0) return [];
  const createdMs = ({ metadata }: Pod) => timeMs(metadata.creationTimestamp) ?? 0;
  const name = ({ metadata }: Pod) => metadata.name ?? "";
  const ended = pods.filter(hasEnded);
  ended.sort((a, b) => createdMs(a) - createdMs(b) || (name(a) < name(b) ? -1 : 1));
  return ended.slice(0, Math.max(0, ended.length - threshold));
}

interface Garbage {
  /** For the log. */
  readonly reason: string;
  /** What the pods say in a condition. Absent: nothing. */
  readonly disruption?: Disruption;
  /** Whether pods that have not ended say first that they have failed: no node is left that could. */
  readonly isMarked: boolean;
}

/** A pod that cannot be deleted does not prevent the deletion of others: each has a plan of its own. */
export function planGarbage(pods: readonly Pod[], { reason, disruption, isMarked }: Garbage, nowMs: number): Plan[] {
  return pods.map((pod) => {
    const { namespace, name = "", uid } = pod.metadata;
    const options = { gracePeriodSeconds: 0, uid, reason };
    const mark =
      isMarked && !isPodFinished(pod) ? markDisrupted(pod, { disruption, phase: "Failed" }, nowMs) : undefined;
    const removal = remove(Pod, { namespace, name }, options, { tolerates: ["NotFound", "Conflict"] });
    return { writes: mark === undefined ? [removal] : [mark, removal] };
  });
}

const nodeGone: Disruption = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

/** The cache may be behind, and a deletion cannot be undone: the server is asked for the node. */
export function planOrphans(node: string, pods: readonly Pod[], isMarked: boolean, nowMs: number): Plan {
  const live = read(Node, { name: node });
  const garbage = { reason: "its node does not exist", disruption: nodeGone, isMarked };
  return {
    reads: [live],
    next: (done) => (done.of(live) === undefined ? oneAfterOther(planGarbage(pods, garbage, nowMs)) : undefined),
  };
}

/** Whether an administrator has said that the node is off: its agent will not end the pods that are being deleted. */
export function isOutOfService({ spec, status }: Node, taint: string): boolean {
  const isReady = status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;
  return !isReady && spec?.taints?.some(({ key }) => key === taint) === true;
}

/** No node will ever end them. */
export const isUnscheduledDeleting = (pod: Pod): boolean => isDeleting(pod) && !pod.spec?.nodeName;

/** How long a node must be missing: its registration may be in progress. */
export const quarantineMs = 40_000;

interface MissingNodes {
  /** Names of nodes that pods are on, which have been missing for long enough. Call it with all that are missing. */
  overdue(missing: ReadonlySet<string>, nowMs: number): string[];
}

export function createMissingNodes(): MissingNodes {
  const since = new Map<string, number>();
  return {
    overdue(missing, nowMs) {
      for (const name of since.keys()) if (!missing.has(name)) since.delete(name);
      for (const name of missing) if (!since.has(name)) since.set(name, nowMs);
      return [...missing].filter((name) => nowMs - (since.get(name) ?? nowMs) >= quarantineMs);
    },
  };
}
