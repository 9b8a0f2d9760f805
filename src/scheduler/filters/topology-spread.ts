/** Spread constraints that must hold: the pods they select may not be more frequent in one place than elsewhere. */

import { fitsNode } from "../../controllers/parts/nodes/affinity.ts";
import { labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import type { Cluster, KnownNode, KnownPod } from "../cluster.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const refusal = rejected("node(s) didn't match pod topology spread constraints", true);
const unlabelled = rejected("node(s) didn't match pod topology spread constraints (missing required label)");

export const topologySpread: NodeFilter = (pod, cluster) => {
  const hard = spreadsOf(pod, "DoNotSchedule");
  if (hard.length === 0) return undefined;
  const counted = countSpreads(hard, pod, cluster);
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
}

export function spreadsOf(of: KnownPod, when: "DoNotSchedule" | "ScheduleAnyway"): readonly Spread[] {
  const given = of.pod.spec?.topologySpreadConstraints ?? [];
  return given
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => {
      const selector = labelSelectorFromObject(constraint.labelSelector);
      return {
        topologyKey: constraint.topologyKey,
        maxSkew: constraint.maxSkew,
        minDomains: (constraint as { minDomains?: number }).minDomains ?? 1,
        selects: (pod: KnownPod) =>
          pod.namespace === of.namespace && pod.pod.metadata.deletionTimestamp == null && selector.matches(pod.labels),
      };
    });
}

interface CountedSpread {
  readonly spread: Spread;
  /** By the value of the topology label. */
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
}

/** Only nodes count that the pod could have, and that have all the labels. */
export function countSpreads(spreads: readonly Spread[], pod: KnownPod, cluster: Cluster): readonly CountedSpread[] {
  const counts = spreads.map(() => new Map<string, number>());
  const isCounted = (node: KnownNode) =>
    (pod.pod.spec === undefined || fitsNode(pod.pod.spec, node.node)) &&
    spreads.every(({ topologyKey }) => node.labels[topologyKey] !== undefined);
  for (const node of cluster.nodes) {
    if (!isCounted(node)) continue;
    spreads.forEach((spread, at) => {
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
