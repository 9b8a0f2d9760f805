/**
 * The requests of the collector. Each has the version it was decided on as a precondition; if the object has changed, the watch
 * delivers the change, and it is checked again.
 */

import type { AnyObject, ResourceAddress } from "../../client/contract.ts";
import { patch, type Request, remove } from "../plan.ts";
import type { GraphNode } from "./graph.ts";

type Requests = readonly Request<AnyObject>[];

const patchMetadata = (node: GraphNode, address: ResourceAddress, metadata: Readonly<Record<string, unknown>>) => {
  const { uid, resourceVersion } = node;
  return [patch<AnyObject>(address, node, { metadata: { uid, resourceVersion, ...metadata } })];
};

export function deletion(
  node: GraphNode,
  address: ResourceAddress,
  propagationPolicy: "Background" | "Foreground" | "Orphan",
): Requests {
  const { uid, resourceVersion } = node;
  const reason = "its owners are gone or going";
  return [remove<AnyObject>(address, node, { uid, resourceVersion, propagationPolicy, reason })];
}

export function removeOwners(node: GraphNode, address: ResourceAddress, uids: readonly string[]): Requests {
  const gone = new Set(uids);
  const kept = node.owners.filter(({ uid }) => !gone.has(uid));
  if (kept.length === node.owners.length) return [];
  return patchMetadata(node, address, { ownerReferences: kept.length === 0 ? null : kept });
}

/** Dependents that wait for this object do not block it any more. Whatever its version is: the deletion that follows checks it. */
export function unblockOwners(node: GraphNode, address: ResourceAddress): Requests {
  const ownerReferences = node.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
  return [patch<AnyObject>(address, node, { metadata: { uid: node.uid, ownerReferences } })];
}

export function removeFinalizer(node: GraphNode, address: ResourceAddress, finalizer: string): Requests {
  const kept = node.finalizers.filter((each) => each !== finalizer);
  if (kept.length === node.finalizers.length) return [];
  return patchMetadata(node, address, { finalizers: kept.length === 0 ? null : kept });
}
