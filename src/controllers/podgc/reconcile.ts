/** Which pods are garbage: too many finished ones, those of deleted nodes, and terminating ones that were never scheduled. */

import { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { isDeleting, timeMs } from "../parts/pods/state.ts";
import { type Plan, remove } from "../plan.ts";

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

/** Pods that are deleted, by the reason for the log. */
type Garbage = readonly (readonly [reason: string, pods: readonly Pod[]])[];

/** A pod that cannot be deleted does not prevent the deletion of others: each has a plan of its own. */
export function planGarbage(garbage: Garbage): Plan[] {
  const reasons = new Map(
    garbage.flatMap(([reason, pods]) => pods.map((pod) => [keyOf(pod), { pod, reason }] as const)),
  );
  return [...reasons.values()].map(({ pod: { metadata }, reason }) => {
    const { namespace, name = "", uid } = metadata;
    const options = { gracePeriodSeconds: 0, uid, reason };
    return { writes: [remove(Pod, { namespace, name }, options, { tolerates: ["NotFound", "Conflict"] })] };
  });
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
