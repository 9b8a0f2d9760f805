/** The contract of a score: how good a node would be for a pod. */

import type { Cluster, KnownNode } from "../cluster.ts";
import type { KnownPod } from "../known-pod.ts";
import type { Counting } from "../tally.ts";

/** From 0 to 100, after `normalize` where the score has one. */
export const scoreMax = 100;

export type RateNode = (node: KnownNode) => number;

export interface Score {
  readonly weight: number;
  /** Prepared once for each pod. Undefined: it makes no difference for this pod. */
  prepare(pod: KnownPod, cluster: Cluster): RateNode | Counting<RateNode> | undefined;
  /** Whether the raw values are scaled so that the best node has 100; `lower`: the least is best. Default: they are from 0 to 100. */
  readonly scale?: "higher" | "lower";
}
