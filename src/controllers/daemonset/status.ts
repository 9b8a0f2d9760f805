/** The status of a DaemonSet: on how many nodes its pods should run, and on how many they do. */

import type { DaemonSetStatus } from "../../api/apps/v1/daemon-set.ts";
import { counted } from "../parts/counted.ts";
import { isPodAvailable, isPodReady } from "../parts/pods/state.ts";
import { type DaemonInput, fitOf, oldestFirst, podsByNode } from "./daemons.ts";
import { isUpdated } from "./pod.ts";

/** `seen`: whether this generation was reconciled. */
export function daemonStatus(input: DaemonInput, seen: boolean, collisionCount: number | undefined): DaemonSetStatus {
  const { set, nodes, hash, nowMs, vocabulary } = input;
  const byNode = podsByNode(input.pods);
  let [desired, current, misscheduled, ready, available, updated] = [0, 0, 0, 0, 0, 0];
  for (const node of nodes) {
    const [pod] = oldestFirst(byNode.get(node.metadata.name ?? "") ?? []);
    if (!fitOf(set, node, vocabulary).runs) {
      if (pod !== undefined) misscheduled += 1;
      continue;
    }
    desired += 1;
    if (pod === undefined) continue;
    current += 1;
    if (isPodReady(pod)) ready += 1;
    if (isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs)) available += 1;
    if (isUpdated(set, pod, hash)) updated += 1;
  }
  return {
    desiredNumberScheduled: desired,
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    numberReady: ready,
    ...counted({
      updatedNumberScheduled: updated,
      numberAvailable: available,
      numberUnavailable: desired - available,
      observedGeneration: (seen ? set.metadata.generation : set.status?.observedGeneration) ?? 0,
    }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
  };
}
