/** Pods that must run close to others, or away from them; and pods that keep this one away. */

import type { Cluster, KnownNode } from "../cluster.ts";
import { costOf, type KnownPod, mayRepel, type PodTerm, podTerm } from "../known-pod.ts";
import type { LabelledGroup, RepellingGroup } from "../pod-groups.ts";
import { countingAll, PlaceCounts, PlaceSums, PodTally } from "../tally.ts";
import { noPlace, PlaceNumbers } from "../topology.ts";
import { type CheckNode, type NodeFilter, rejected } from "./filter.ts";

const together = rejected("node(s) didn't match pod affinity rules");
const apart = rejected("node(s) didn't match pod anti-affinity rules", true);
const kept = rejected("node(s) didn't satisfy existing pods anti-affinity rules", true);

export const podAffinity: NodeFilter = (pod, cluster) => {
  const { affinity } = pod.pod.spec ?? {};
  const wanted = (affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
    podTerm(term, pod.namespace),
  );
  const near = new NearbyPods(wanted, pod, cluster);
  const [far, repelling] = [new PlaceCounts(cluster), new PlaceCounts(cluster)];
  const tallies = [
    ...(wanted.length === 0 ? [] : [near.tally]),
    ...(pod.repels.length === 0 ? [] : [tallyOf(cluster, far, pod.repels)]),
    tallyOfRepelling(cluster, repelling, pod),
  ];
  const check: CheckNode = (node) => {
    if (!near.has(node)) return together;
    if (far.at(node) > 0) return apart;
    if (repelling.at(node) > 0) return kept;
    return undefined;
  };
  // Where no pod is in the way, none comes while the decision is made.
  return countingAll(tallies, () => (wanted.length === 0 && far.isEmpty && repelling.isEmpty ? undefined : check));
};

/** Where the pods run that the terms select. */
function tallyOf(cluster: Cluster, counts: PlaceCounts, terms: readonly PodTerm[]): PodTally<LabelledGroup, PlaceSums> {
  return new PodTally({
    cluster,
    groups: () => cluster.selectable(terms),
    groupOf: ({ labelled }) => labelled,
    compare: (group) => sumsOf(terms, (term) => cluster.selects(term, group)),
    add: (sums, node, by) => counts.add(sums, node, by),
    cost: costOf(terms),
  });
}

/** The places of pods whose anti-affinity is about this pod. Its own terms are not compared, so it does not pay for it. */
function tallyOfRepelling(cluster: Cluster, counts: PlaceCounts, pod: KnownPod): PodTally<RepellingGroup, PlaceSums> {
  return new PodTally({
    cluster,
    groups: () => cluster.repelling(pod),
    groupOf: ({ repelling }) => repelling,
    compare: (group) =>
      sumsOf(mayRepel(group, pod.namespace) ? group.repels : [], (term) => cluster.selects(term, pod)),
    add: (sums, node, by) => counts.add(sums, node, by),
    cost: 0,
  });
}

function sumsOf(terms: readonly PodTerm[], selects: (term: PodTerm) => boolean): PlaceSums {
  const sums = new PlaceSums();
  for (const term of terms) if (selects(term)) sums.add(term.topologyKey, 1);
  return sums;
}

/** For required affinity: every term needs a pod at the place of a node. */
class NearbyPods {
  readonly tally: PodTally<LabelledGroup, ReadonlySet<number>>;
  /** For each term, how many pods are at each place. */
  readonly #counts: readonly PlaceNumbers[];
  /** For each topology label, how many terms have a pod at each place, and how many there are. */
  readonly #satisfied = new Map<string, { readonly places: PlaceNumbers; terms: number }>();
  readonly #isOwn: () => boolean;
  #found = 0;

  constructor(terms: readonly PodTerm[], pod: KnownPod, cluster: Cluster) {
    for (const { topologyKey } of terms) {
      const known = this.#satisfied.get(topologyKey);
      if (known !== undefined) known.terms++;
      else this.#satisfied.set(topologyKey, { places: new PlaceNumbers(cluster.topology(topologyKey)), terms: 1 });
    }
    this.#counts = terms.map(({ topologyKey }) => new PlaceNumbers(this.#satisfied.get(topologyKey)!.places.topology));
    let isOwn: boolean | undefined;
    this.#isOwn = () => (isOwn ??= terms.every((term) => cluster.selects(term, pod)));
    this.tally = new PodTally({
      cluster,
      groups: () => cluster.selectable(terms),
      groupOf: ({ labelled }) => labelled,
      compare: (group) => {
        const selecting = new Set<number>();
        for (const [at, term] of terms.entries()) if (cluster.selects(term, group)) selecting.add(at);
        return selecting;
      },
      add: (selecting, node, by) => {
        for (const at of selecting) this.#add(at, node, by);
      },
      cost: costOf(terms),
    });
  }

  has(node: KnownNode): boolean {
    if (this.#satisfied.size === 0) return true;
    // The first of a group that wants to be together finds no other yet: it may begin anywhere.
    const isFirst = this.#found === 0 && this.#isOwn();
    for (const { places, terms } of this.#satisfied.values()) {
      const place = places.topology.placeOf(node);
      if (place === noPlace) return false;
      if (!isFirst && places.get(place) !== terms) return false;
    }
    return true;
  }

  #add(at: number, node: KnownNode, by: number): void {
    const counts = this.#counts[at];
    const place = counts?.topology.placeOf(node) ?? noPlace;
    if (counts === undefined || place === noPlace) return;
    const before = counts.add(place, by);
    this.#found += by;
    if ((before === 0) === (before + by === 0)) return;
    this.#satisfied.get(counts.topology.key)?.places.add(place, by > 0 ? 1 : -1);
  }
}
