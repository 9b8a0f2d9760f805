/** Which pods of less priority would have to go, so that a pod fits on a node. */

import type { Cluster, KnownNode } from "./cluster.ts";
import type { CheckNode, NodeRejection } from "./filters/filter.ts";
import type { KnownPod } from "./known-pod.ts";
import type { ScheduleOptions } from "./options.ts";

export interface Preemption {
  readonly node: string;
  readonly victims: readonly KnownPod[];
}

export interface RejectedNode {
  readonly node: KnownNode;
  readonly rejection: NodeRejection;
}

interface Candidate extends Preemption {
  /** How many of the victims a disruption budget protects. */
  readonly violations: number;
}

type PreemptOptions = Pick<ScheduleOptions, "isProtected"> & {
  /** Follows the pods that leave and come back. */
  readonly reject: CheckNode;
};

/** As v1.21: so many nodes are compared with each other where others could make room, and one where no budget is violated if there is one. */
export const candidatesMin = 100;
const candidatesPercent = 10;

/** Undefined: no node would fit even without all pods of less priority, or the pod must not preempt. */
export function preempt(
  pod: KnownPod,
  cluster: Cluster,
  rejections: readonly RejectedNode[],
  options: PreemptOptions,
): Preemption | undefined {
  if (pod.pod.spec?.preemptionPolicy === "Never" || waitsForVictims(pod, cluster)) return undefined;
  const candidates: Candidate[] = [];
  const wanted = Math.max(candidatesMin, Math.floor((cluster.size * candidatesPercent) / 100));
  let hasGood = false;
  for (const { node, rejection } of rejections) {
    const candidate = rejection.canPreempt ? candidateOn(node, pod, cluster, options) : undefined;
    if (candidate === undefined) continue;
    candidates.push(candidate);
    hasGood ||= candidate.violations === 0;
    if (hasGood && candidates.length >= wanted) break;
  }
  return candidates.sort(inOrder)[0];
}

/** Pods that were told to go for this one have not gone yet: others would go in vain. */
function waitsForVictims({ pod, priority }: KnownPod, cluster: Cluster): boolean {
  const nominated = cluster.node(pod.status?.nominatedNodeName ?? "")?.pods.values() ?? [];
  return [...nominated].some((other) => other.priority < priority && other.pod.metadata.deletionTimestamp != null);
}

/** All pods of less priority leave; then as many as possible come back, the most important first. */
function candidateOn(node: KnownNode, pod: KnownPod, cluster: Cluster, options: PreemptOptions): Candidate | undefined {
  const less = [...node.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (less.length === 0) return undefined;
  const fits = () => options.reject(node) === undefined;
  try {
    for (const { key } of less) cluster.lift(key);
    if (!fits()) return undefined;
    const guarded = new Set(less.filter(options.isProtected));
    const protectedFirst = (a: KnownPod, b: KnownPod) =>
      Number(guarded.has(b)) - Number(guarded.has(a)) || b.priority - a.priority;
    const victims: KnownPod[] = [];
    for (const other of [...less].sort(protectedFirst)) {
      cluster.putBack(other.key);
      if (fits()) continue;
      cluster.lift(other.key);
      victims.push(other);
    }
    return { node: node.name, victims, violations: victims.filter((one) => guarded.has(one)).length };
  } finally {
    for (const { key } of less) cluster.putBack(key);
  }
}

/** As v1.21 prefers: fewest violated budgets, least important victims, fewest of them. */
function inOrder(a: Candidate, b: Candidate): number {
  const highest = ({ victims }: Candidate) => Math.max(...victims.map(({ priority }) => priority));
  const sum = ({ victims }: Candidate) => victims.reduce((total, { priority }) => total + priority, 0);
  return (
    a.violations - b.violations ||
    highest(a) - highest(b) ||
    sum(a) - sum(b) ||
    a.victims.length - b.victims.length ||
    (a.node < b.node ? -1 : 1)
  );
}
