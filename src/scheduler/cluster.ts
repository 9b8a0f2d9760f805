/**
 * What the scheduler knows: nodes, the pods on them, and what those use. It is updated with each change, so that a decision costs
 * one look at each node.
 */

import type { Node } from "../api/core/v1/node.ts";
import { type HostPort, hostPortsOf } from "../api/core/v1/pod/host-ports.ts";
import type { PodAffinityTerm } from "../api/core/v1/pod/scheduling.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { controllerOf } from "../controllers/parts/ownership/controller-ref.ts";
import { sameValue } from "../machinery/schema/same-value.ts";
import { labelMap, labelSelectorFromObject } from "../machinery/selectors/label-selector.ts";
import { RepellingPods } from "./repelling-pods.ts";
import { type Amounts, addAmounts, amountsOf, noAmounts, requestsOf } from "./resources.ts";
import { type PodSelection, SelectablePods } from "./selectable-pods.ts";

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

export interface KnownNode {
  readonly node: Node;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isCordoned: boolean;
  readonly taints: readonly Taint[];
  /** The same as long as its labels and its spec are. */
  readonly layout: object;
  readonly allocatable: Amounts;
  readonly used: ReturnType<typeof noAmounts>;
  readonly pods: Map<string, KnownPod>;
  /** How many pods each controller has here, by its uid. */
  readonly owners: Map<string, number>;
}

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

export const podKey = ({ metadata }: Pod): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** `before`: what was known of a pod under this key. Pod affinity cannot be changed, and may have thousands of terms to be read. */
export function knownPod(pod: Pod, before?: KnownPod): KnownPod {
  const { metadata, spec } = pod;
  const namespace = metadata.namespace ?? "";
  const isSame = metadata.uid !== undefined && before?.pod.metadata.uid === metadata.uid;
  const terms = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const known = isSame ? before : undefined;
  const repels = known?.repels ?? terms.map((term) => podTerm(term, namespace));
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
export const mayRepel = ({ repels, repelledNamespaces }: KnownPod, namespace: string): boolean =>
  repels.length > 0 && (repelledNamespaces === "any" || repelledNamespaces.has(namespace));

function namespacesOf(terms: readonly PodTerm[]): ReadonlySet<string> | "any" {
  const all = new Set<string>();
  for (const { namespaces, namespaceSelector } of terms) {
    if (namespaceSelector !== undefined) return "any";
    for (const name of namespaces) all.add(name);
  }
  return all;
}

interface PlacedPod {
  readonly known: KnownPod;
  readonly node: KnownNode;
}

/** Is told of each pod that comes to a node (1) or leaves it (-1). */
type Follower = (known: KnownPod, node: KnownNode, by: 1 | -1) => void;

export class Cluster {
  readonly #followers = new Set<Follower>();
  readonly #nodes = new Map<string, KnownNode>();
  readonly #facts = new Map<string, unknown>();
  /** Undefined: a node has changed since. */
  #ordered: readonly KnownNode[] | undefined;
  /** Pods with the name of their node, also of nodes that are not known yet. */
  readonly #pods = new Map<string, { readonly known: KnownPod; readonly node: string }>();
  readonly #selectable = new SelectablePods();
  readonly #repelling = new RepellingPods();
  readonly #expected = new Map<string, { readonly known: KnownPod; readonly node: string }>();
  readonly #namespaces = new Map<string, ReadonlyMap<string, string>>();

  /** In the order in which they came. */
  get nodes(): readonly KnownNode[] {
    this.#ordered ??= [...this.#nodes.values()];
    return this.#ordered;
  }

  get size(): number {
    return this.#nodes.size;
  }

  node(name: string): KnownNode | undefined {
    return this.#nodes.get(name);
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? "";
    const before = this.#nodes.get(name);
    const layout = layoutOf(node, before);
    if (layout !== before?.layout) this.#facts.clear();
    const next: KnownNode = {
      node,
      name,
      labels: node.metadata.labels ?? {},
      isCordoned: node.spec?.unschedulable === true,
      taints: node.spec?.taints ?? noTaints,
      layout,
      allocatable: amountsOf(node.status?.allocatable ?? node.status?.capacity),
      used: before?.used ?? noAmounts(),
      pods: before?.pods ?? new Map(),
      owners: before?.owners ?? new Map(),
    };
    this.#nodes.set(name, next);
    this.#ordered = undefined;
    if (before !== undefined) return;
    for (const { known, node: of } of this.#pods.values()) if (of === name) this.#place(next, known);
  }

  removeNode(name: string): void {
    const gone = this.#nodes.get(name);
    for (const known of gone?.pods.values() ?? []) this.#tell(known, gone!, -1); // it has pods
    this.#nodes.delete(name);
    this.#ordered = undefined;
    this.#facts.clear();
  }

  /** What `make` finds out about all nodes, as long as none comes, goes, or gets another layout. `question` says all that it depends on. */
  facts<T>(question: string, make: () => T): T {
    if (!this.#facts.has(question)) {
      const [oldest] = this.#facts.keys();
      if (this.#facts.size >= nodeFactsMax && oldest !== undefined) this.#facts.delete(oldest);
      this.#facts.set(question, make());
    }
    return this.#facts.get(question) as T; // what was made for this question
  }

  /** Sets a pod that has a node, or is about to get one. */
  setPod(known: KnownPod, node: string): void {
    const before = this.#takeAway(known.key);
    this.#index(before, known);
    this.#pods.set(known.key, { known, node });
    const on = this.#nodes.get(node);
    if (on !== undefined) this.#place(on, known);
  }

  pod(key: string): KnownPod | undefined {
    return this.#pods.get(key)?.known;
  }

  removePod(key: string): void {
    this.#index(this.#takeAway(key), undefined);
  }

  #takeAway(key: string): KnownPod | undefined {
    const found = this.#pods.get(key);
    if (found === undefined) return undefined;
    this.#pods.delete(key);
    const on = this.#nodes.get(found.node);
    if (on?.pods.delete(key)) {
      count(on, found.known, -1);
      this.#tell(found.known, on, -1);
    }
    return found.known;
  }

  #index(before: KnownPod | undefined, after: KnownPod | undefined): void {
    this.#selectable.replace(before, after);
    this.#repelling.replace(before, after);
  }

  /** Returns a function that ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  #place(node: KnownNode, known: KnownPod): void {
    node.pods.set(known.key, known);
    count(node, known, 1);
    this.#tell(known, node, 1);
  }

  #tell(known: KnownPod, node: KnownNode, by: 1 | -1): void {
    for (const follower of this.#followers) follower(known, node, by);
  }

  /** The pods on known nodes that one of the selections may be about. */
  placed(selections: Iterable<PodSelection>): Iterable<PlacedPod> {
    return this.#placedOf(this.#selectable.candidates(selections));
  }

  /** Whether the anti-affinity of any pod keeps others away. */
  get hasRepelling(): boolean {
    return !this.#repelling.isEmpty;
  }

  /** The pods on known nodes whose anti-affinity may keep this one away. One may come twice. */
  repelling(pod: KnownPod): Iterable<PlacedPod> {
    return this.#placedOf(this.#repelling.candidates(pod));
  }

  *#placedOf(keys: Iterable<string>): Iterable<PlacedPod> {
    for (const key of keys) {
      const found = this.#pods.get(key);
      const node = found && this.#nodes.get(found.node);
      if (found !== undefined && node !== undefined) yield { known: found.known, node };
    }
  }

  /** Says where a pod will be that others make room for. */
  expect(known: KnownPod, node: string): void {
    this.#expected.set(known.key, { known, node });
  }

  expectNoLonger(key: string): void {
    this.#expected.delete(key);
  }

  /** Decisions count these as if they were placed, so they are compared before. */
  *expected(): Iterable<PlacedPod> {
    for (const { known, node: name } of this.#expected.values()) {
      const node = this.#nodes.get(name);
      if (node !== undefined) yield { known, node };
    }
  }

  setNamespace(name: string, labels: Readonly<Record<string, string>> | undefined): void {
    this.#namespaces.set(name, labelMap(labels));
  }

  removeNamespace(name: string): void {
    this.#namespaces.delete(name);
  }

  /** Whether a term is about this pod. */
  selects(term: PodTerm, { namespace, labels }: KnownPod): boolean {
    const inside =
      term.namespaces.has(namespace) ||
      term.namespaceSelector?.matches(this.#namespaces.get(namespace) ?? noLabels) === true;
    return inside && term.selector.matches(labels);
  }
}

/** Kept for pods of so many sorts, of which each asks something else of nodes. */
export const nodeFactsMax = 16;

function layoutOf({ metadata, spec }: Node, before: KnownNode | undefined): object {
  const isSame =
    before !== undefined &&
    sameValue(before.node.metadata.labels, metadata.labels) &&
    sameValue(before.node.spec, spec);
  return isSame ? before.layout : {};
}

const noTaints: readonly Taint[] = [];
const noLabels: ReadonlyMap<string, string> = new Map();

function count({ used, owners }: KnownNode, { requests, owner }: KnownPod, sign: 1 | -1): void {
  addAmounts(used, requests, sign);
  if (owner === undefined) return;
  const next = (owners.get(owner) ?? 0) + sign;
  if (next === 0) owners.delete(owner);
  else owners.set(owner, next);
}
