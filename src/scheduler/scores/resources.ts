/** Nodes with more left, and with cpu and memory used alike. */

import type { KnownNode } from "../cluster.ts";
import type { KnownPod } from "../known-pod.ts";
import { type Score, scoreMax } from "./score.ts";

/** What a container counts that requests nothing, as in v1.21; otherwise such pods would all be put on one node. */
const leastCpuMilli = 100;
const leastMemoryBytes = 200 * 1024 * 1024;

/** Which part of the node would be used with the pod on it, from 0 to 1. */
function share({ requests }: KnownPod, name: "cpu" | "memory"): (node: KnownNode) => number {
  const least = name === "cpu" ? leastCpuMilli : leastMemoryBytes;
  const own = requests[name] || least;
  return ({ allocatable, used }) => {
    const total = allocatable[name];
    return total === 0 ? 1 : Math.min(1, (own + Math.max(used[name], used.pods * least * 0.1)) / total);
  };
}

export const leastAllocated: Score = {
  weight: 1,
  prepare(pod) {
    const [cpu, memory] = [share(pod, "cpu"), share(pod, "memory")];
    return (node) => ((1 - cpu(node) + (1 - memory(node))) / 2) * scoreMax;
  },
};

export const balanced: Score = {
  weight: 1,
  prepare(pod) {
    const [cpu, memory] = [share(pod, "cpu"), share(pod, "memory")];
    return (node) => (1 - Math.abs(cpu(node) - memory(node))) * scoreMax;
  },
};
