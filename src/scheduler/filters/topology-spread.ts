/** Spread constraints that must hold: the pods they select may not be more frequent in one place than elsewhere. */

import { fitsNode } from "../../controllers/parts/nodes/affinity.ts";
import { toleratesAll } from "../../controllers/parts/nodes/taints.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Cluster, KnownNode, KnownPod } from "../cluster.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const refusal = rejected("node(s) didn't match pod topology spread constraints", true);
const unlabelled = rejected("node(s) didn't match pod topology spread constraints (missing required label)");

export const topologySpread: NodeFilter = (pod, cluster) => {
  const hard = spreadsOf(pod, "DoNotSchedule");
  if (hard.length === 0) return undefined;
  const counted = countSpreads(hard, cluster);
  return (node) => {
    for (const { spread, counts, least } of counted) {
      const place = node.labels[spread.topologyKey];
      if (place === undefined) return unlabelled;
      const own = spread.selects(pod) ? 1 : 0;
      if ((counts.get(place) ?? 0) + own - least > spread.maxSkew) return refusal;
    }
    return undefined;
  };
};

interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** Fewer places than this count as one that is empty. */
  readonly minDomains: number;
  selects(pod: KnownPod): boolean;
  /** Whether the node's pods count: by default only nodes do that the pod may have by its selector, whatever their taints are. */
  counts(node: KnownNode): boolean;
}

const effects = ["NoSchedule", "NoExecute"];

export function spreadsOf(of: KnownPod, when: "DoNotSchedule" | "ScheduleAnyway"): readonly Spread[] {
  const { spec } = of.pod;
  const given = spec?.topologySpreadConstraints ?? [];
  return given
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => {
      const selector = labelSelectorFromObject(constraint.labelSelector);
      const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore", matchLabelKeys = [] } = constraint;
      // Where the server has put these keys into the selector already, they say the same twice.
      const same = matchLabelKeys.filter((key) => of.labels.has(key));
      return {
        topologyKey: constraint.topologyKey,
        maxSkew: constraint.maxSkew,
        minDomains: constraint.minDomains ?? 1,
        selects: (pod: KnownPod) =>
          pod.namespace === of.namespace &&
          pod.pod.metadata.deletionTimestamp == null &&
          selector.matches(pod.labels) &&
          same.every((key) => pod.labels.get(key) === of.labels.get(key)),
        counts: ({ node }: KnownNode) =>
          (nodeAffinityPolicy === "Ignore" || spec === undefined || fitsNode(spec, node)) &&
          (nodeTaintsPolicy === "Ignore" || toleratesAll(spec?.tolerations ?? [], node.spec?.taints ?? [], effects)),
      };
    });
}

interface CountedSpread {
  readonly spread: Spread;
  /** By the value of the topology label. */
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
}

/** Only nodes count that have all the labels. */
export function countSpreads(spreads: readonly Spread[], cluster: Cluster): readonly CountedSpread[] {
  const counts = spreads.map(() => new Map<string, number>());
  for (const node of cluster.nodes) {
    if (!spreads.every(({ topologyKey }) => node.labels[topologyKey] !== undefined)) continue;
    spreads.forEach((spread, at) => {
      if (!spread.counts(node)) return;
      const place = node.labels[spread.topologyKey] ?? "";
      let count = 0;
      for (const other of node.pods.values()) if (spread.selects(other)) count++;
      counts[at]?.set(place, (counts[at]?.get(place) ?? 0) + count);
    });
  }
  return spreads.map((spread, at) => {
    const own = counts[at] ?? new Map<string, number>();
    const least = own.size < spread.minDomains ? 0 : Math.min(...own.values());
    return { spread, counts: own, least: Number.isFinite(least) ? least : 0 };
  });
}
