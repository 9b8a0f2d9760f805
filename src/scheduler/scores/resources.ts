/** Nodes with more left, and with cpu and memory used alike. */

import type { KnownNode, KnownPod } from "../cluster.ts";
import { type Score, scoreMax } from "./score.ts";

/** What a container counts that requests nothing, as in v1.21; otherwise such pods would all be put on one node. */
const leastCpuMilli = 100;
const leastMemoryBytes = 200 * 1024 * 1024;

function shares(
  { requests }: KnownPod,
  { allocatable, used, pods }: KnownNode,
): readonly [cpu: number, memory: number] {
  const part = (name: string, least: number) => {
    const total = allocatable.get(name) ?? 0;
    const wanted = (requests.get(name) || least) + Math.max(used.get(name) ?? 0, pods.size * least * 0.1);
    return total === 0 ? 1 : Math.min(1, wanted / total);
  };
  return [part("cpu", leastCpuMilli), part("memory", leastMemoryBytes)];
}

export const leastAllocated: Score = {
  weight: 1,
  prepare: (pod) => (node) => {
    const [cpu, memory] = shares(pod, node);
    return ((1 - cpu + (1 - memory)) / 2) * scoreMax;
  },
};

export const balanced: Score = {
  weight: 1,
  prepare: (pod) => (node) => {
    const [cpu, memory] = shares(pod, node);
    return (1 - Math.abs(cpu - memory)) * scoreMax;
  },
};
