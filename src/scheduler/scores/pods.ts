/** What a pod prefers of other pods: near, far, or spread; and pods of one owner apart. */

import { costOf, type KnownNode, type KnownPod, type PodTerm, podTerm } from "../cluster.ts";
import { SpreadCounts, spreadsOf } from "../filters/topology-spread.ts";
import { countingAll, PlaceCounts, type PlacePart, PlaceSums, PodTally } from "../tally.ts";
import type { Score } from "./score.ts";

interface WeightedTerm {
  readonly term: PodTerm;
  readonly weight: number;
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
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
    const counts = new PlaceCounts();
    const tally = new PodTally<PlacePart>({
      cluster,
      pods: () => cluster.placed(terms.map(({ term }) => term)),
      compare(known, node) {
        const sums = new PlaceSums();
        for (const { term, weight } of terms) {
          const isHere = node.labels[term.topologyKey] !== undefined && cluster.selects(term, known);
          if (isHere) sums.add(term.topologyKey, weight);
        }
        return sums.parts(node);
      },
      add: (part, by) => counts.add(part, by),
      cost: costOf(terms.map(({ term }) => term)),
    });
    return countingAll([tally], (node: KnownNode) => sumOf(counts.at(node)));
  },
};

export const preferredSpread: Score = {
  weight: 2,
  scale: "lower",
  prepare(pod, cluster) {
    const soft = spreadsOf(pod, "ScheduleAnyway");
    if (soft.length === 0) return undefined;
    const counted = new SpreadCounts(soft, pod, cluster);
    return countingAll([counted], ({ labels }: KnownNode) =>
      sumOf(counted.all().map(({ spread, counts }) => counts.get(labels[spread.topologyKey] ?? "") ?? 0)),
    );
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
