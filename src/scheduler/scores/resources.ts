/** Nodes with more left, and with cpu and memory used alike. */

import { cpuTotal, cpuUsed, memoryTotal, memoryUsed, podsUsed } from "../amount-table.ts";
import type { Cluster } from "../cluster.ts";
import type { KnownPod } from "../known-pod.ts";
import { type RateNodes, type Score, scoreMax } from "./score.ts";

/** What a container counts that requests nothing, as in v1.21; otherwise such pods would all be put on one node. */
const leastCpuMilli = 100;
const leastMemoryBytes = 200 * 1024 * 1024;

/** Which part of a node would be used with the pod on it, from 0 to 1. */
const shareOf = (own: number, least: number, total: number, used: number, pods: number): number =>
  total === 0 ? 1 : Math.min(1, (own + Math.max(used, pods * least * 0.1)) / total);

/** Rates nodes by which parts of their cpu and memory would be used. */
function byShares(
  { requests }: KnownPod,
  { amounts }: Cluster,
  rate: (cpu: number, memory: number) => number,
): RateNodes {
  const ownCpu = requests.cpu || leastCpuMilli;
  const ownMemory = requests.memory || leastMemoryBytes;
  return (nodes, ratings) => {
    const { numbers } = amounts;
    for (let at = 0; at < nodes.length; at++) {
      const { slot } = nodes[at]!; // within the list, and each node has all numbers
      const pods = numbers[slot + podsUsed]!;
      const cpu = shareOf(ownCpu, leastCpuMilli, numbers[slot + cpuTotal]!, numbers[slot + cpuUsed]!, pods);
      const memoryTaken = numbers[slot + memoryUsed]!;
      const memory = shareOf(ownMemory, leastMemoryBytes, numbers[slot + memoryTotal]!, memoryTaken, pods);
      ratings[at] = rate(cpu, memory);
    }
  };
}

export const leastAllocated: Score = {
  weight: 1,
  prepare: (pod, cluster) => byShares(pod, cluster, (cpu, memory) => ((1 - cpu + (1 - memory)) / 2) * scoreMax),
};

export const balanced: Score = {
  weight: 1,
  prepare: (pod, cluster) => byShares(pod, cluster, (cpu, memory) => (1 - Math.abs(cpu - memory)) * scoreMax),
};
