/** Pods that must run close to others, or away from them; and pods that keep this one away. */

import type { Cluster, KnownNode } from "../cluster.ts";
import { costOf, type KnownPod, mayRepel, type PodTerm, podTerm } from "../known-pod.ts";
import type { LabelledGroup, RepellingGroup } from "../pod-groups.ts";
import { countingAll, PlaceCounts, PlaceSums, PodTally } from "../tally.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const together = rejected("node(s) didn't match pod affinity rules");
const apart = rejected("node(s) didn't match pod anti-affinity rules", true);
const kept = rejected("node(s) didn't satisfy existing pods anti-affinity rules", true);

export const podAffinity: NodeFilter = (pod, cluster) => {
  const { affinity } = pod.pod.spec ?? {};
  const wanted = (affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
    podTerm(term, pod.namespace),
  );
  const near = new NearbyPods(wanted, pod, cluster);
  const [far, repelling] = [new PlaceCounts(), new PlaceCounts()];
  const tallies = [
    ...(wanted.length === 0 ? [] : [near.tally]),
    ...(pod.repels.length === 0 ? [] : [tallyOf(cluster, far, pod.repels)]),
    tallyOfRepelling(cluster, repelling, pod),
  ];
  return countingAll(tallies, (node: KnownNode) => {
    if (!near.has(node)) return together;
    if (far.at(node) > 0) return apart;
    if (repelling.at(node) > 0) return kept;
    return undefined;
  });
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
  readonly #counts: readonly Map<string, number>[];
  /** By topology label and place, how many terms have a pod there. */
  readonly #satisfied = new Map<string, Map<string, number>>();
  readonly #termsOfKey = new Map<string, number>();
  readonly #isOwn: () => boolean;
  readonly #terms: readonly PodTerm[];
  #found = 0;

  constructor(terms: readonly PodTerm[], pod: KnownPod, cluster: Cluster) {
    this.#terms = terms;
    this.#counts = terms.map(() => new Map());
    for (const { topologyKey } of terms)
      this.#termsOfKey.set(topologyKey, (this.#termsOfKey.get(topologyKey) ?? 0) + 1);
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

  has({ labels }: KnownNode): boolean {
    if (this.#termsOfKey.size === 0) return true;
    // The first of a group that wants to be together finds no other yet: it may begin anywhere.
    const isFirst = this.#found === 0 && this.#isOwn();
    for (const [key, terms] of this.#termsOfKey) {
      const place = labels[key];
      if (place === undefined) return false;
      if (!isFirst && this.#satisfied.get(key)?.get(place) !== terms) return false;
    }
    return true;
  }

  #add(at: number, { labels }: KnownNode, by: number): void {
    const [counts, term] = [this.#counts[at], this.#terms[at]];
    const place = term && labels[term.topologyKey];
    if (counts === undefined || term === undefined || place === undefined) return;
    const before = counts.get(place) ?? 0;
    counts.set(place, before + by);
    this.#found += by;
    if ((before === 0) === (before + by === 0)) return;
    const satisfied = this.#satisfied.get(term.topologyKey) ?? new Map<string, number>();
    this.#satisfied.set(term.topologyKey, satisfied.set(place, (satisfied.get(place) ?? 0) + (by > 0 ? 1 : -1)));
  }
}
