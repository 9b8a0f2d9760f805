/** Pods that must run close to others, or away from them; and pods that keep this one away. */

import { type Cluster, type KnownNode, type KnownPod, type PodTerm, podTerm } from "../cluster.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const together = rejected("node(s) didn't match pod affinity rules");
const apart = rejected("node(s) didn't match pod anti-affinity rules", true);
const kept = rejected("node(s) didn't satisfy existing pods anti-affinity rules", true);

export const podAffinity: NodeFilter = (pod, cluster) => {
  const { affinity } = pod.pod.spec ?? {};
  const wanted = (affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
    podTerm(term, pod.namespace),
  );
  const repelledFrom = placesOfRepelling(pod, cluster);
  if (wanted.length === 0 && pod.repels.length === 0 && repelledFrom.size === 0) return undefined;
  const near = placesOf(wanted, cluster);
  const far = placesOf(pod.repels, cluster);
  // The first of a group that wants to be together finds no other yet: it may begin anywhere.
  const isFirst = near.every((places) => places.size === 0) && wanted.every((term) => cluster.selects(term, pod));
  return (node) => {
    if (
      !wanted.every(
        (term, at) => isAt(node, term, near[at]) || (isFirst && node.labels[term.topologyKey] !== undefined),
      )
    )
      return together;
    if (pod.repels.some((term, at) => isAt(node, term, far[at]))) return apart;
    for (const [key, places] of repelledFrom) if (places.has(node.labels[key] ?? "")) return kept;
    return undefined;
  };
};

const isAt = ({ labels }: KnownNode, { topologyKey }: PodTerm, places: ReadonlySet<string> | undefined): boolean =>
  labels[topologyKey] !== undefined && places?.has(labels[topologyKey] ?? "") === true;

/** For each term, the values of its label where pods run that it selects. */
function placesOf(terms: readonly PodTerm[], cluster: Cluster): readonly ReadonlySet<string>[] {
  const places = terms.map(() => new Set<string>());
  if (terms.length === 0) return places;
  for (const { known, node } of cluster.placed()) {
    terms.forEach((term, at) => {
      const place = node.labels[term.topologyKey];
      if (place !== undefined && cluster.selects(term, known)) places[at]?.add(place);
    });
  }
  return places;
}

/** By topology label, the places of pods whose anti-affinity is about this pod. */
function placesOfRepelling(pod: KnownPod, cluster: Cluster): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { known, node } of cluster.repelling()) {
    for (const term of known.repels) {
      const place = node.labels[term.topologyKey];
      if (place === undefined || !cluster.selects(term, pod)) continue;
      const places = found.get(term.topologyKey) ?? new Set();
      found.set(term.topologyKey, places.add(place));
    }
  }
  return found;
}
