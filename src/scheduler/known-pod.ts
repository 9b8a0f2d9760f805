/** A pod as the scheduler compares it: what filters and scores read of it, computed once. */

import { type HostPort, hostPortsOf } from "../api/core/v1/pod/host-ports.ts";
import type { PodAffinityTerm } from "../api/core/v1/pod/scheduling.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { controllerOf } from "../controllers/parts/ownership/controller-ref.ts";
import { labelMap, labelSelectorFromObject } from "../machinery/selectors/label-selector.ts";
import { type Amounts, noAmounts, requestsOf } from "./resources.ts";
import type { PodSelection } from "./selectable-pods.ts";

/** A term of pod affinity, ready to be matched. */
export interface PodTerm extends PodSelection {
  readonly topologyKey: string;
}

/** A pod with what filters read of it, computed once. */
export interface KnownPod {
  readonly pod: Pod;
  readonly key: string;
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly priority: number;
  /** The uid of its controller. */
  readonly owner: string | undefined;
  readonly requests: Amounts;
  readonly hostPorts: readonly HostPort[];
  /** What its anti-affinity requires. */
  readonly repels: readonly PodTerm[];
  /** The namespaces that those terms name; "any": a term selects namespaces by their labels. */
  readonly repelledNamespaces: ReadonlySet<string> | "any";
}

export const podKey = ({ metadata }: Pod): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** `before`: what was known of a pod under this key. Pod affinity cannot be changed, and may have thousands of terms to be read. */
export function knownPod(pod: Pod, before?: KnownPod): KnownPod {
  const { metadata, spec } = pod;
  const namespace = metadata.namespace ?? "";
  const isSame = metadata.uid !== undefined && before?.pod.metadata.uid === metadata.uid;
  const known = isSame ? before : undefined;
  const repels = known?.repels ?? requiredApart(pod).map((term) => podTerm(term, namespace));
  return {
    pod,
    key: podKey(pod),
    namespace,
    labels: labelMap(metadata.labels),
    priority: spec?.priority ?? 0,
    owner: controllerOf(pod)?.uid,
    requests: spec === undefined ? noAmounts() : requestsOf(spec),
    hostPorts: hostPortsOf(spec),
    repels,
    repelledNamespaces: known?.repelledNamespaces ?? namespacesOf(repels),
  };
}

export const requiredApart = ({ spec }: Pod): readonly PodAffinityTerm[] =>
  spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

export function podTerm(term: PodAffinityTerm, namespace: string): PodTerm {
  const { labelSelector, namespaces = [], namespaceSelector, topologyKey } = term;
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    topologyKey,
    selector: labelSelectorFromObject(labelSelector),
    namespaces: new Set(isOwn ? [namespace] : namespaces),
    namespaceSelector: namespaceSelector === undefined ? undefined : labelSelectorFromObject(namespaceSelector),
  };
}

/** How many comparisons it takes to compare the terms with one pod. */
export function costOf(terms: readonly PodTerm[]): number {
  let cost = 0;
  for (const { selector, namespaceSelector } of terms)
    cost += Math.max(1, selector.requirements.length + (namespaceSelector?.requirements.length ?? 0));
  return cost;
}

/** Whether the anti-affinity of a pod can be about pods of the namespace: most is about the pod's own. */
export const mayRepel = (
  { repels, repelledNamespaces }: Pick<KnownPod, "repels" | "repelledNamespaces">,
  namespace: string,
): boolean => repels.length > 0 && (repelledNamespaces === "any" || repelledNamespaces.has(namespace));

function namespacesOf(terms: readonly PodTerm[]): ReadonlySet<string> | "any" {
  const all = new Set<string>();
  for (const { namespaces, namespaceSelector } of terms) {
    if (namespaceSelector !== undefined) return "any";
    for (const name of namespaces) all.add(name);
  }
  return all;
}
