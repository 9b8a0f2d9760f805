/**
 * What the scheduler knows: nodes, the pods on them, and what those use. It is updated with each change, so that a decision costs
 * one look at each node.
 */

import type { Node } from "../api/core/v1/node.ts";
import { sameValue } from "../machinery/schema/same-value.ts";
import { labelMap } from "../machinery/selectors/label-selector.ts";
import { AmountTable } from "./amount-table.ts";
import type { KnownPod, PodTerm } from "./known-pod.ts";
import { GroupedPods, type LabelledGroup, type PodGroups, type RepellingGroup } from "./pod-groups.ts";
import { type Amounts, addAmounts, amountsOf, noAmounts } from "./resources.ts";
import type { PodSelection, SelectablePod } from "./selectable-pods.ts";
import { Topologies, type Topology } from "./topology.ts";

export interface KnownNode {
  readonly node: Node;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isCordoned: boolean;
  readonly taints: readonly Taint[];
  /** The same as long as its labels and its spec are. */
  readonly layout: object;
  /** Where its numbers begin in the amounts of the cluster. */
  readonly slot: number;
  /** What topologies know it by, as long as it has this layout. */
  readonly seat: number;
  readonly allocatable: Amounts;
  readonly used: ReturnType<typeof noAmounts>;
  readonly pods: Map<string, KnownPod>;
}

type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

interface PlacedPod {
  readonly known: KnownPod;
  readonly node: string;
  readonly groups: PodGroups;
}

/** Is told of each pod that comes to a node (1) or leaves it (-1). */
type Follower = (groups: PodGroups, node: KnownNode, by: 1 | -1) => void;

export class Cluster {
  /** The same as `allocatable` and `used` of nodes. */
  readonly amounts = new AmountTable();
  readonly #topologies = new Topologies();
  readonly #followers = new Set<Follower>();
  readonly #nodes = new Map<string, KnownNode>();
  readonly #facts = new Map<string, unknown>();
  /** Another one since a node has come, gone, or got another layout. */
  layoutVersion = 0;
  /** How many nodes are cordoned. */
  cordoned = 0;
  /** How many nodes have taints. */
  tainted = 0;
  /** Undefined: a node has come or gone since. */
  #ordered: KnownNode[] | undefined;
  /** Where nodes are in that list. */
  readonly #positions = new Map<string, number>();
  readonly #pods = new Map<string, PlacedPod>();
  /** The pods of nodes that are not known yet, by the name of the node and by key. */
  readonly #elsewhere = new Map<string, Map<string, PlacedPod>>();
  readonly #grouped = new GroupedPods();
  /** How many pods of each controller nodes have: by its uid, and the slot of the node. */
  readonly #owned = new Map<string, Map<number, number>>();
  readonly #expected = new Map<string, PlacedPod>();
  readonly #namespaces = new Map<string, ReadonlyMap<string, string>>();

  /** In the order in which they came. */
  get nodes(): readonly KnownNode[] {
    if (this.#ordered === undefined) {
      this.#ordered = [...this.#nodes.values()];
      this.#positions.clear();
      for (const [at, { name }] of this.#ordered.entries()) this.#positions.set(name, at);
    }
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
    if (layout !== before?.layout) this.#forgetFacts();
    const next: KnownNode = {
      node,
      name,
      labels: node.metadata.labels ?? {},
      isCordoned: node.spec?.unschedulable === true,
      taints: node.spec?.taints ?? noTaints,
      layout,
      allocatable: amountsOf(node.status?.allocatable ?? node.status?.capacity),
      slot: before?.slot ?? this.amounts.take(),
      seat: layout === before?.layout ? before.seat : this.#topologies.takeSeat(),
      used: before?.used ?? noAmounts(),
      pods: before?.pods ?? new Map(),
    };
    this.#nodes.set(name, next);
    this.#countNode(before, -1);
    this.#countNode(next, 1);
    this.amounts.setTotals(next.slot, next.allocatable);
    this.amounts.setUsed(next.slot, next.used);
    if (before === undefined) {
      this.#ordered = undefined;
      for (const placed of this.#elsewhere.get(name)?.values() ?? []) this.#place(next, placed);
      this.#elsewhere.delete(name);
      return;
    }
    const at = this.#positions.get(name);
    if (this.#ordered !== undefined && at !== undefined) this.#ordered[at] = next;
    if (layout === before.layout) return;
    this.#tellAll(before, next);
    this.#topologies.freeSeat(before.seat);
  }

  #countNode(node: KnownNode | undefined, by: 1 | -1): void {
    if (node?.isCordoned) this.cordoned += by;
    if (node !== undefined && node.taints.length > 0) this.tainted += by;
  }

  /** Its places may be others now. */
  #tellAll(before: KnownNode, node: KnownNode): void {
    if (this.#followers.size === 0) return;
    for (const key of node.pods.keys()) {
      const groups = this.#pods.get(key)?.groups;
      if (groups === undefined) continue;
      this.#tell(groups, before, -1);
      this.#tell(groups, node, 1);
    }
  }

  removeNode(name: string): void {
    const gone = this.#nodes.get(name);
    if (gone === undefined) return;
    for (const key of [...gone.pods.keys()]) {
      const placed = this.#pods.get(key);
      if (placed === undefined) continue;
      this.#unplace(gone, placed);
      this.#keepElsewhere(placed);
    }
    this.#nodes.delete(name);
    this.#countNode(gone, -1);
    this.amounts.release(gone.slot);
    this.#topologies.freeSeat(gone.seat);
    this.#ordered = undefined;
    this.#forgetFacts();
  }

  #forgetFacts(): void {
    this.#facts.clear();
    this.layoutVersion++;
  }

  /** The places of nodes by this label. */
  topology(key: string): Topology {
    return this.#topologies.of(key);
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
    const groups = this.#grouped.join(known, before);
    if (before !== undefined) this.#grouped.leave(before.groups);
    const placed = { known: sharing(known, groups), node, groups };
    this.#pods.set(known.key, placed);
    const on = this.#nodes.get(node);
    if (on === undefined) this.#keepElsewhere(placed);
    else this.#place(on, placed);
  }

  pod(key: string): KnownPod | undefined {
    return this.#pods.get(key)?.known;
  }

  removePod(key: string): void {
    const gone = this.#takeAway(key);
    if (gone !== undefined) this.#grouped.leave(gone.groups);
  }

  #takeAway(key: string): PlacedPod | undefined {
    const found = this.#pods.get(key);
    if (found === undefined) return undefined;
    this.#pods.delete(key);
    const on = this.#nodes.get(found.node);
    if (on?.pods.has(key)) this.#unplace(on, found);
    const others = this.#elsewhere.get(found.node);
    if (others?.delete(key) && others.size === 0) this.#elsewhere.delete(found.node);
    return found;
  }

  #keepElsewhere(placed: PlacedPod): void {
    const others = this.#elsewhere.get(placed.node) ?? new Map<string, PlacedPod>();
    this.#elsewhere.set(placed.node, others.set(placed.known.key, placed));
  }

  /** Takes a pod off its node for a moment, to see what would fit without it. */
  lift(key: string): void {
    const placed = this.#pods.get(key);
    const on = this.#nodes.get(placed?.node ?? "");
    if (placed !== undefined && on?.pods.has(key)) this.#unplace(on, placed);
  }

  /** The pod that was taken off is back. */
  putBack(key: string): void {
    const placed = this.#pods.get(key);
    const on = this.#nodes.get(placed?.node ?? "");
    if (placed !== undefined && on?.pods.has(key) === false) this.#place(on, placed);
  }

  /** Returns a function that ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  #place(node: KnownNode, { known, groups }: PlacedPod): void {
    node.pods.set(known.key, known);
    this.#count(node, known, 1);
    this.#grouped.count(groups, node.name, 1);
    this.#tell(groups, node, 1);
  }

  #unplace(node: KnownNode, { known, groups }: PlacedPod): void {
    node.pods.delete(known.key);
    this.#count(node, known, -1);
    this.#grouped.count(groups, node.name, -1);
    this.#tell(groups, node, -1);
  }

  #count({ used, slot }: KnownNode, { requests, owner }: KnownPod, by: 1 | -1): void {
    addAmounts(used, requests, by);
    this.amounts.setUsed(slot, used);
    if (owner === undefined) return;
    const nodes = this.#owned.get(owner) ?? new Map<number, number>();
    this.#owned.set(owner, nodes);
    const next = (nodes.get(slot) ?? 0) + by;
    if (next !== 0) nodes.set(slot, next);
    else if (nodes.delete(slot) && nodes.size === 0) this.#owned.delete(owner);
  }

  /** How many pods of the controller with this uid each node has, by slot. Undefined: none has any. */
  ownedBy(uid: string): ReadonlyMap<number, number> | undefined {
    return this.#owned.get(uid);
  }

  #tell(groups: PodGroups, node: KnownNode, by: 1 | -1): void {
    for (const follower of this.#followers) follower(groups, node, by);
  }

  /** Another one since pods have come of which no group was known. */
  get groupsVersion(): number {
    return this.#grouped.version;
  }

  /** The groups of pods that one of the selections may be about. */
  selectable(selections: Iterable<PodSelection>): Iterable<LabelledGroup> {
    return this.#grouped.selectable(selections);
  }

  /** The groups of pods whose anti-affinity may keep this one away. One may come twice. */
  repelling(pod: KnownPod): Iterable<RepellingGroup> {
    return this.#grouped.repelling(pod);
  }

  /** Says where a pod will be that others make room for. */
  expect(known: KnownPod, node: string): void {
    const before = this.#expected.get(known.key);
    this.#expected.set(known.key, { known, node, groups: this.#grouped.join(known, before) });
    if (before !== undefined) this.#grouped.leave(before.groups);
  }

  expectNoLonger(key: string): void {
    const before = this.#expected.get(key);
    if (before === undefined) return;
    this.#expected.delete(key);
    this.#grouped.leave(before.groups);
  }

  /** Calls `look` with the expected pods that `counts` says as if they were placed already. */
  withExpected<T>(counts: (known: KnownPod) => boolean, look: () => T): T {
    const placed: [KnownNode, PlacedPod][] = [];
    try {
      for (const expected of this.#expected.values()) {
        const on = this.#nodes.get(expected.node);
        if (on === undefined || this.#pods.has(expected.known.key) || !counts(expected.known)) continue;
        this.#place(on, expected);
        placed.push([on, expected]);
      }
      return look();
    } finally {
      for (const [on, expected] of placed) this.#unplace(on, expected);
    }
  }

  setNamespace(name: string, labels: Readonly<Record<string, string>> | undefined): void {
    this.#namespaces.set(name, labelMap(labels));
  }

  removeNamespace(name: string): void {
    this.#namespaces.delete(name);
  }

  /** Whether a term is about this pod. */
  selects(term: PodTerm, { namespace, labels }: SelectablePod): boolean {
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

/** The same pod; what all pods of its groups have is there once. */
function sharing(known: KnownPod, { labelled, repelling }: PodGroups): KnownPod {
  const { repels, repelledNamespaces } = repelling ?? known;
  if (known.labels === labelled.labels && known.repels === repels) return known;
  return { ...known, labels: labelled.labels, repels, repelledNamespaces };
}
