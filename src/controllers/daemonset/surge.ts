/** Rolling updates in which a node gets its new pod before the old one is deleted: the gate DaemonSetUpdateSurge. */

import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { scaledValue } from "../../machinery/values/integer.ts";
import { isDeleting, isPodReady } from "../parts/pods/state.ts";
import { isUpdated } from "./pod.ts";

/** How many nodes may have an old and a new pod; 0: the old one is deleted first. `isOn`: the gate. */
export function surgeCount(set: DaemonSet, nodes: number, isOn: boolean): number {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (!isOn || type !== "RollingUpdate") return 0;
  return scaledValue(rollingUpdate?.maxSurge ?? 0, nodes, "up");
}

export interface SurgeInput {
  readonly set: DaemonSet;
  readonly hash: string;
  readonly isAvailable: (pod: Pod) => boolean;
}

/** The pods of one node, oldest first, that are deleted: at most one of each template stays, and the old one only while it is needed. */
export function superfluousPods(running: readonly Pod[], { set, hash, isAvailable }: SurgeInput): Pod[] {
  if (running.length <= 1) return [];
  const [newest, ...moreNew] = running.filter((pod) => isUpdated(set, pod, hash));
  const [old, ...moreOld] = running.filter((pod) => !isUpdated(set, pod, hash));
  const surplus = [...moreNew, ...moreOld];
  if (newest !== undefined && old !== undefined && (!isPodReady(old) || isAvailable(newest))) surplus.push(old);
  return surplus;
}

export interface SurgePlan {
  readonly delete: readonly Pod[];
  /** Names of nodes that get their new pod now. */
  readonly create: readonly string[];
}

export function planSurge(
  byNode: ReadonlyMap<string, readonly Pod[]>,
  surgeMax: number,
  { set, hash, isAvailable }: SurgeInput,
): SurgePlan {
  const surplus: Pod[] = [];
  const broken: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  for (const [node, pods] of byNode) {
    const living = pods.filter((pod) => !isDeleting(pod));
    const [newest, ...moreNew] = living.filter((pod) => isUpdated(set, pod, hash));
    const [old, ...moreOld] = living.filter((pod) => !isUpdated(set, pod, hash));
    // The other part of the loop cleans up; until then the node counts.
    if (moreNew.length > 0 || moreOld.length > 0) surging += 1;
    else if (old === undefined) continue;
    else if (newest !== undefined && isAvailable(newest)) surplus.push(old);
    else if (newest !== undefined) surging += 1;
    // An old pod that is not available can be deleted at once.
    else if (isAvailable(old)) candidates.push(node);
    else broken.push(node);
  }
  return { delete: surplus, create: [...broken, ...candidates.slice(0, Math.max(0, surgeMax - surging))] };
}
