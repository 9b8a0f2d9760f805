/** Who owns whom: a graph of all objects, built from watch events, and the objects that a change makes due for a check. */

import type { AnyObject, ResourceAddress } from "../../client/contract.ts";
import { apiVersionOf, groupOf } from "../../client/requests/address.ts";
import { foregroundFinalizer, orphanFinalizer } from "../../machinery/meta/metadata.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";

export interface GraphNode {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined: no watch shows the object; only a reference names it. */
  readonly address: ResourceAddress | undefined;
  readonly resourceVersion: string;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly isDeleted: boolean;
  readonly dependents: Set<GraphNode>;
}

/** Foreground deletion: it is removed when the dependents that block it are gone. */
export const waitsForDependents = ({ isDeleted, finalizers }: GraphNode): boolean =>
  isDeleted && finalizers.includes(foregroundFinalizer);
/** Orphaning: it is removed when no dependent refers to it any more. */
export const leavesOrphans = ({ isDeleted, finalizers }: GraphNode): boolean =>
  isDeleted && finalizers.includes(orphanFinalizer);

/** The uids of objects to check after a change. */
export interface Worth {
  readonly collect: string[];
  readonly orphan: string[];
  /** Dependents and the reference to an owner that is in another namespace, or in one at all. */
  readonly misplaced: { readonly node: GraphNode; readonly owner: OwnerReference }[];
}

/*
 * add(d owned by o)      o is made as not seen, d hangs on it            look at o: is it there?
 * add(o)                 o is seen; d hangs on it as before
 * remove(o)              o is gone                                       look at d
 * add(e owned by o)      o is still there as not seen, for d             look at o
 * forget(o)              o is not seen                                   look at o
 */
export class Graph {
  readonly #nodes = new Map<string, GraphNode>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }
  get size(): number {
    return this.#nodes.size;
  }

  /** An object is there, in this state. */
  put(object: AnyObject, address: ResourceAddress): Worth {
    const worth: Worth = { collect: [], orphan: [], misplaced: [] };
    const old = this.#nodes.get(object.metadata.uid ?? "");
    const node = nodeOf(object, address, old?.dependents ?? new Set());
    this.#replace(old, node);
    if (old === undefined || old.address === undefined) this.#checkDependents(node, worth);
    const before = old?.address === undefined ? [] : old.owners;
    this.#unlink(node, before, worth);
    const isNew = this.#link(node, before, worth);
    if (isNew) worth.collect.push(node.uid);
    if (leavesOrphans(node) && !(old && leavesOrphans(old))) worth.orphan.push(node.uid);
    if (waitsForDependents(node) && !(old && waitsForDependents(old))) {
      for (const { uid } of node.dependents) worth.collect.push(uid);
      worth.collect.push(node.uid);
    }
    return worth;
  }

  /** An object is gone; `uid` alone says which. */
  remove(uid: string): Worth {
    const worth: Worth = { collect: [], orphan: [], misplaced: [] };
    const node = this.#nodes.get(uid);
    if (node === undefined) return worth;
    this.#nodes.delete(uid);
    for (const dependent of node.dependents) worth.collect.push(dependent.uid);
    this.#unlink({ ...node, owners: [] }, node.owners, worth, node);
    // It stays in the graph as long as it has dependents.
    if (node.dependents.size > 0) this.#nodes.set(uid, { ...node, address: undefined, owners: [] });
    return worth;
  }

  /** Whether an object is there is unknown from now on. Its dependents need no check before that is known of it. */
  forget(uid: string): Worth {
    this.remove(uid);
    return { collect: this.#nodes.has(uid) ? [uid] : [], orphan: [], misplaced: [] };
  }

  /** `node` replaces `old`, also among its owners and dependents. */
  #replace(old: GraphNode | undefined, node: GraphNode): void {
    this.#nodes.set(node.uid, node);
    if (old === undefined) return;
    for (const { uid } of old.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.dependents.delete(old)) owner.dependents.add(node);
    }
  }

  /** Removed references, and those that no longer block, may release an owner. */
  #unlink(node: GraphNode, before: readonly OwnerReference[], worth: Worth, hung: GraphNode = node): void {
    const ownerNow = byUid(node.owners);
    for (const reference of before) {
      const now = ownerNow(reference.uid);
      const owner = this.#nodes.get(reference.uid);
      if (owner === undefined) continue;
      if (now === undefined) {
        owner.dependents.delete(hung);
        if (owner.address === undefined && owner.dependents.size === 0) this.#nodes.delete(owner.uid);
      }
      const released = reference.blockOwnerDeletion === true && now?.blockOwnerDeletion !== true;
      if ((released || now === undefined) && waitsForDependents(owner)) worth.collect.push(owner.uid);
    }
  }

  /** Whether one of the new references alone makes the object due for a check. */
  #link(node: GraphNode, before: readonly OwnerReference[], worth: Worth): boolean {
    let isWorth = false;
    const ownerBefore = byUid(before);
    for (const reference of node.owners) {
      const isKnown = ownerBefore(reference.uid) !== undefined;
      const owner = this.#nodes.get(reference.uid);
      if (owner === undefined) {
        const unseen = unseenNode(reference, node);
        this.#nodes.set(reference.uid, unseen);
        worth.collect.push(reference.uid);
        continue;
      }
      owner.dependents.add(node);
      if (isKnown) continue;
      if (!matches(owner, reference, node)) {
        isWorth = true;
        if (isMisplaced(owner, node)) worth.misplaced.push({ node, owner: reference });
      } else if (waitsForDependents(owner)) isWorth = true;
      // It may be gone, and the dependents that it had then are checked already.
      else if (owner.address === undefined) worth.collect.push(owner.uid);
    }
    return isWorth;
  }

  /** An object that was known only by references is observed: references that contradict it are checked. */
  #checkDependents(node: GraphNode, worth: Worth): void {
    for (const dependent of node.dependents) {
      const reference = dependent.owners.find(({ uid }) => uid === node.uid);
      if (reference === undefined || matches(node, reference, dependent)) continue;
      worth.collect.push(dependent.uid);
      if (isMisplaced(node, dependent)) worth.misplaced.push({ node: dependent, owner: reference });
    }
  }
}

/** An object may have thousands of references; nearly all have one. */
function byUid(references: readonly OwnerReference[]): (uid: string) => OwnerReference | undefined {
  if (references.length <= fewMax) return (wanted) => references.find(({ uid }) => uid === wanted);
  // The first of those that name the same owner counts.
  const known = new Map(references.toReversed().map((reference) => [reference.uid, reference]));
  return (uid) => known.get(uid);
}
const fewMax = 8;

function nodeOf({ metadata }: AnyObject, address: ResourceAddress, dependents: Set<GraphNode>): GraphNode {
  return {
    uid: metadata.uid ?? "",
    apiVersion: apiVersionOf(address),
    kind: address.kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    address,
    resourceVersion: metadata.resourceVersion ?? "",
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    isDeleted: Boolean(metadata.deletionTimestamp),
    dependents,
  };
}

function unseenNode({ uid, apiVersion, kind, name }: OwnerReference, dependent: GraphNode): GraphNode {
  return {
    uid,
    apiVersion,
    kind,
    namespace: dependent.namespace,
    name,
    address: undefined,
    resourceVersion: "",
    owners: [],
    finalizers: [],
    isDeleted: false,
    dependents: new Set([dependent]),
  };
}

/** Whether the reference means the owner: versions of one kind are the same, other names are not. */
function matches(owner: GraphNode, { kind, name, apiVersion }: OwnerReference, { namespace }: GraphNode): boolean {
  if (owner.kind !== kind || owner.name !== name) return false;
  if (groupOf(owner.apiVersion) !== groupOf(apiVersion)) return false;
  return owner.namespace === "" || owner.namespace === namespace;
}

/** Owners of a namespace own objects of the same one only. */
function isMisplaced(owner: GraphNode, { namespace }: GraphNode): boolean {
  return owner.address !== undefined && owner.namespace !== "" && owner.namespace !== namespace;
}
