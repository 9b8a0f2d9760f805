/** What a pod prefers of other pods: near, far, or spread; and pods of one owner apart. */

import { type KnownPod, type PodTerm, podTerm } from "../cluster.ts";
import { countSpreads, spreadsOf } from "../filters/topology-spread.ts";
import type { Score } from "./score.ts";

interface WeightedTerm {
  readonly term: PodTerm;
  readonly weight: number;
}

function preferencesOf({ pod, namespace }: KnownPod): readonly WeightedTerm[] {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const far = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...near.map(({ weight, podAffinityTerm }) => ({ term: podTerm(podAffinityTerm, namespace), weight })),
    ...far.map(({ weight, podAffinityTerm }) => ({ term: podTerm(podAffinityTerm, namespace), weight: -weight })),
  ];
}

export const preferredPods: Score = {
  weight: 1,
  scale: "higher",
  prepare(pod, cluster) {
    const terms = preferencesOf(pod);
    if (terms.length === 0) return undefined;
    const sums = terms.map(() => new Map<string, number>());
    for (const { known, node } of cluster.placed()) {
      terms.forEach(({ term, weight }, at) => {
        const place = node.labels[term.topologyKey];
        if (place === undefined || !cluster.selects(term, known)) return;
        sums[at]?.set(place, (sums[at]?.get(place) ?? 0) + weight);
      });
    }
    return ({ labels }) =>
      terms.reduce((sum, { term }, at) => sum + (sums[at]?.get(labels[term.topologyKey] ?? "") ?? 0), 0);
  },
};

export const preferredSpread: Score = {
  weight: 2,
  scale: "lower",
  prepare(pod, cluster) {
    const soft = spreadsOf(pod, "ScheduleAnyway");
    if (soft.length === 0) return undefined;
    const counted = countSpreads(soft, cluster);
    return ({ labels }) =>
      counted.reduce((sum, { spread, counts }) => sum + (counts.get(labels[spread.topologyKey] ?? "") ?? 0), 0);
  },
};

/** Without constraints of its own, a pod runs where its owner has the fewest. */
export const apartFromSiblings: Score = {
  weight: 2,
  scale: "lower",
  prepare({ pod, owner }) {
    if (owner === undefined || (pod.spec?.topologySpreadConstraints ?? []).length > 0) return undefined;
    return ({ owners }) => owners.get(owner) ?? 0;
  },
};
