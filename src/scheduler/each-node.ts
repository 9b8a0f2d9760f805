/** What has many terms about nodes: each node is compared once, in steps, before the decision is made at once. */

import type { Cluster, KnownNode } from "./cluster.ts";
import type { Counting } from "./tally.ts";

/** So few terms are compared when they are needed. */
const termsAtOnceMax = 20;

/** `cost`: how many comparisons one node takes. */
export function eachNode<T>(
  cluster: Cluster,
  cost: number,
  look: (node: KnownNode) => T,
): ((node: KnownNode) => T) | Counting<(node: KnownNode) => T> {
  if (cost <= termsAtOnceMax) return look;
  const known = new Map<KnownNode, T>();
  return {
    *count() {
      for (const node of cluster.nodes) {
        known.set(node, look(node));
        yield cost;
      }
    },
    isCounted: true,
    stop() {},
    decide: () => (node) => {
      // A node that has come or changed since is looked at now.
      return known.has(node) ? (known.get(node) as T) : look(node); // it has one
    },
  };
}
