/**
 * The pods on nodes, counted in groups of which no term can tell one pod from another: a decision compares its terms with each group once
 * instead of with each pod. Groups are kept with each change of a pod, and are gone with their last one.
 */

import { type KnownPod, type PodTerm, requiredApart } from "./known-pod.ts";
import { RepellingPods } from "./repelling-pods.ts";
import { indexedLabelsMax, type PodSelection, SelectablePods } from "./selectable-pods.ts";

export interface PodGroup {
  readonly name: string;
  /** How many of its pods are on each known node. */
  readonly nodes: Map<string, number>;
  /** How many pods are known of it, on nodes or not. */
  members: number;
}

/** Pods of one namespace with the same labels; those that are being deleted apart. */
export interface LabelledGroup extends PodGroup {
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly isLeaving: boolean;
}

/** Pods of one namespace whose anti-affinity says the same. */
export interface RepellingGroup extends PodGroup {
  readonly repels: readonly PodTerm[];
  readonly repelledNamespaces: ReadonlySet<string> | "any";
}

/** The groups of a pod. */
export interface PodGroups {
  readonly labelled: LabelledGroup;
  /** Undefined: it has no required anti-affinity. */
  readonly repelling: RepellingGroup | undefined;
}

/** Longer terms are not compared with those of other pods to find out whether they are the same. */
export const sharedTermsCharsMax = 4_096;
/** The least that one term takes of these: the name of `topologyKey`. */
const termCharsMin = 16;

class GroupsOf<Group extends PodGroup> {
  readonly #groups = new Map<string, Group>();
  readonly #index: { add(group: Group): void; remove(group: Group): void };
  /** Another one since a group has come. */
  version = 0;

  constructor(index: { add(group: Group): void; remove(group: Group): void }) {
    this.#index = index;
  }

  join(name: string, what: Omit<Group, keyof PodGroup>): Group {
    const found = this.#groups.get(name);
    if (found !== undefined) {
      found.members++;
      return found;
    }
    const group = { ...what, name, nodes: new Map(), members: 1 } as unknown as Group; // these are its members
    this.#groups.set(name, group);
    this.#index.add(group);
    this.version++;
    return group;
  }

  leave(group: Group): void {
    group.members--;
    if (group.members > 0) return;
    this.#groups.delete(group.name);
    this.#index.remove(group);
  }
}

export class GroupedPods {
  readonly #selectable = new SelectablePods<LabelledGroup>();
  readonly #repelling = new RepellingPods<RepellingGroup>();
  readonly #labelledGroups = new GroupsOf<LabelledGroup>(this.#selectable);
  readonly #repellingGroups = new GroupsOf<RepellingGroup>(this.#repelling);
  #ownNames = 0;

  /** `before`: what the same pod was, in its groups. It has to leave these still. */
  join(known: KnownPod, before?: { readonly known: KnownPod; readonly groups: PodGroups }): PodGroups {
    const isLeaving = known.pod.metadata.deletionTimestamp != null;
    const { labelled, repelling } = before?.groups ?? {};
    const isSame = labelled?.isLeaving === isLeaving && hasSame(labelled.labels, known.labels);
    const isAsRepelling = before?.known.repels === known.repels;
    const { namespace, labels, repels, repelledNamespaces } = known;
    return {
      labelled: this.#labelledGroups.join(isSame ? labelled.name : this.#nameOfLabels(known, isLeaving), {
        namespace,
        labels,
        isLeaving,
      }),
      repelling:
        repels.length === 0
          ? undefined
          : this.#repellingGroups.join((isAsRepelling && repelling?.name) || this.#nameOfTerms(known), {
              repels,
              repelledNamespaces,
            }),
    };
  }

  /** Pods with the same labels in another order are in two groups, which is more work for the same answer. */
  #nameOfLabels({ pod, namespace, labels }: KnownPod, isLeaving: boolean): string {
    if (labels.size > indexedLabelsMax) return this.#ownName();
    return JSON.stringify([namespace, isLeaving, pod.metadata.labels]);
  }

  #nameOfTerms({ pod, namespace, repels }: KnownPod): string {
    if (repels.length * termCharsMin > sharedTermsCharsMax) return this.#ownName();
    const text = JSON.stringify([namespace, requiredApart(pod)]);
    return text.length > sharedTermsCharsMax ? this.#ownName() : text;
  }

  /** Of a group that the pod has for itself. */
  #ownName(): string {
    return `${++this.#ownNames}`;
  }

  leave({ labelled, repelling }: PodGroups): void {
    this.#labelledGroups.leave(labelled);
    if (repelling !== undefined) this.#repellingGroups.leave(repelling);
  }

  /** A pod has come to a node (1), or has left it (-1). */
  count({ labelled, repelling }: PodGroups, node: string, by: 1 | -1): void {
    count(labelled, node, by);
    if (repelling !== undefined) count(repelling, node, by);
  }

  /** Another one since there is a group that was not there before. */
  get version(): number {
    return this.#labelledGroups.version + this.#repellingGroups.version;
  }

  /** Those that one of the selections may be about. */
  selectable(selections: Iterable<PodSelection>): Iterable<LabelledGroup> {
    return this.#selectable.candidates(selections);
  }

  /** Those whose anti-affinity may keep this pod away; one may come twice. */
  repelling(pod: KnownPod): Iterable<RepellingGroup> {
    return this.#repelling.candidates(pod);
  }
}

function count({ nodes }: PodGroup, node: string, by: 1 | -1): void {
  const next = (nodes.get(node) ?? 0) + by;
  if (next === 0) nodes.delete(node);
  else nodes.set(node, next);
}

function hasSame(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): boolean {
  if (some === others) return true;
  if (some.size !== others.size) return false;
  for (const [key, value] of some) if (others.get(key) !== value) return false;
  return true;
}
