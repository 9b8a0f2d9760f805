/** The contract of a score: how good a node would be for a pod. */

import type { Cluster, KnownNode } from "../cluster.ts";
import type { KnownPod } from "../known-pod.ts";
import type { Counting } from "../tally.ts";

/** From 0 to 100, after `normalize` where the score has one. */
export const scoreMax = 100;

/** Writes the rating of each node into the array: of all nodes at once, so that each score is a short loop of its own. */
export type RateNodes = (nodes: readonly KnownNode[], ratings: Float64Array) => void;

export const rateEach =
  (rate: (node: KnownNode) => number): RateNodes =>
  (nodes, ratings) => {
    for (let at = 0; at < nodes.length; at++) ratings[at] = rate(nodes[at]!); // within the list
  };

export interface Score {
  readonly weight: number;
  /** Prepared once for each pod. Undefined: it makes no difference for this pod, or not now. */
  prepare(pod: KnownPod, cluster: Cluster): RateNodes | Counting<RateNodes | undefined> | undefined;
  /** Whether the raw values are scaled so that the best node has 100; `lower`: the least is best. Default: they are from 0 to 100. */
  readonly scale?: "higher" | "lower";
}
