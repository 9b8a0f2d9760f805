/** Ports of the node that the pod wants must be free. */

import { portConflicts } from "../../api/core/v1/pod/host-ports.ts";
import type { KnownPod } from "../known-pod.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const refusal = rejected("node(s) didn't have free ports for the requested pod ports", true);

export const hostPorts: NodeFilter = ({ hostPorts: wanted }) => {
  if (wanted.length === 0) return undefined;
  const conflictsWith = portConflicts(wanted);
  // Nodes are asked again for each pod that may have to leave.
  const known = new Map<KnownPod, boolean>();
  const isTakenBy = (other: KnownPod): boolean => {
    const conflicts = known.get(other) ?? conflictsWith(other.hostPorts);
    known.set(other, conflicts);
    return conflicts;
  };
  return ({ pods }) => {
    for (const other of pods.values()) if (other.hostPorts.length > 0 && isTakenBy(other)) return refusal;
    return undefined;
  };
};
