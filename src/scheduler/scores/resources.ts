/** Nodes with more left, and with cpu and memory used alike. */

import { cpuTotal, cpuUsed, memoryTotal, memoryUsed, podsUsed } from "../amount-table.ts";
import type { Cluster, KnownNode } from "../cluster.ts";
import type { KnownPod } from "../known-pod.ts";
import { type Score, scoreMax } from "./score.ts";

/** What a container counts that requests nothing, as in v1.21; otherwise such pods would all be put on one node. */
const leastCpuMilli = 100;
const leastMemoryBytes = 200 * 1024 * 1024;

/** Which part of the node would be used with the pod on it, from 0 to 1. */
function share({ requests }: KnownPod, { amounts }: Cluster, name: "cpu" | "memory"): (node: KnownNode) => number {
  const least = name === "cpu" ? leastCpuMilli : leastMemoryBytes;
  const [total, used] = name === "cpu" ? [cpuTotal, cpuUsed] : [memoryTotal, memoryUsed];
  const own = requests[name] || least;
  return ({ slot }) => {
    const { numbers } = amounts;
    const has = numbers[slot + total]!; // each node has all six
    const taken = Math.max(numbers[slot + used]!, numbers[slot + podsUsed]! * least * 0.1);
    return has === 0 ? 1 : Math.min(1, (own + taken) / has);
  };
}

export const leastAllocated: Score = {
  weight: 1,
  prepare(pod, cluster) {
    const [cpu, memory] = [share(pod, cluster, "cpu"), share(pod, cluster, "memory")];
    return (node) => ((1 - cpu(node) + (1 - memory(node))) / 2) * scoreMax;
  },
};

export const balanced: Score = {
  weight: 1,
  prepare(pod, cluster) {
    const [cpu, memory] = [share(pod, cluster, "cpu"), share(pod, cluster, "memory")];
    return (node) => (1 - Math.abs(cpu(node) - memory(node))) * scoreMax;
  },
};
