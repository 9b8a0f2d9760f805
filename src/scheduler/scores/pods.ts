/** What a pod prefers of other pods: near, far, or spread; and pods of one owner apart. */

import { SpreadCounts, spreadsOf } from "../filters/topology-spread.ts";
import { costOf, type KnownPod, type PodTerm, podTerm } from "../known-pod.ts";
import type { LabelledGroup } from "../pod-groups.ts";
import { atDecision, countingAll, PlaceCounts, PlaceSums, PodTally } from "../tally.ts";
import { rateEach, type Score } from "./score.ts";

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
    const counts = new PlaceCounts(cluster);
    const tally = new PodTally<LabelledGroup, PlaceSums>({
      cluster,
      groups: () => cluster.selectable(terms.map(({ term }) => term)),
      groupOf: ({ labelled }) => labelled,
      compare(group) {
        const sums = new PlaceSums();
        for (const { term, weight } of terms) if (cluster.selects(term, group)) sums.add(term.topologyKey, weight);
        return sums;
      },
      add: (sums, node, by) => counts.add(sums, node, by),
      cost: costOf(terms.map(({ term }) => term)),
    });
    return countingAll([tally], () => (counts.isEmpty ? undefined : rateEach((node) => counts.at(node))));
  },
};

export const preferredSpread: Score = {
  weight: 2,
  scale: "lower",
  prepare(pod, cluster) {
    const soft = spreadsOf(pod, "ScheduleAnyway");
    if (soft.length === 0) return undefined;
    const counted = new SpreadCounts(soft, pod, cluster);
    return countingAll([counted], () =>
      rateEach((node) => {
        let sum = 0;
        for (const { counts } of counted.all()) sum += counts.at(node);
        return sum;
      }),
    );
  },
};

/** Without constraints of its own, a pod runs where its owner has the fewest. */
export const apartFromSiblings: Score = {
  weight: 2,
  scale: "lower",
  prepare({ pod, owner }, cluster) {
    if (owner === undefined || (pod.spec?.topologySpreadConstraints ?? []).length > 0) return undefined;
    return atDecision(() => {
      const nodes = cluster.ownedBy(owner);
      return nodes && rateEach(({ slot }) => nodes.get(slot) ?? 0);
    });
  },
};
