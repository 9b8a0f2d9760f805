/** Decides what to do with one object, from the state of its owners. */

import type { ResourceAddress } from "../../client/contract.ts";
import { foregroundFinalizer, orphanFinalizer } from "../../machinery/meta/metadata.ts";
import type { OwnerReference } from "../../machinery/schema/object-meta.ts";
import type { Plan, PlannedEvent } from "../plan.ts";
import { type GraphNode, leavesOrphans, waitsForDependents } from "./graph.ts";
import { deletion, removeFinalizer, removeOwners, unblockOwners } from "./writes.ts";

export type OwnerState =
  /** Exists, and is not being deleted in the foreground. */
  | "solid"
  /** Does not exist. */
  | "absent"
  /** Is being deleted in the foreground: exists until its dependents are gone. */
  | "waiting";

type GarbageDecision =
  | { readonly do: "nothing" }
  /** Remove these references: their owners are gone, and others exist. */
  | { readonly do: "forget"; readonly uids: readonly string[] }
  | { readonly do: "delete"; readonly policy: "Background" | "Foreground" | "Orphan"; readonly unblock: boolean }
  /** Nothing blocks it any more. */
  | { readonly do: "release" }
  /** Wait, and check these dependents. */
  | { readonly do: "await"; readonly dependents: readonly string[] };

/** The requests of a decision; those of dependents to check are none. */
export function planDecision(decision: GarbageDecision, node: GraphNode, address: ResourceAddress): Plan | undefined {
  switch (decision.do) {
    case "nothing":
    case "await":
      return undefined;
    case "release":
      return { writes: removeFinalizer(node, address, foregroundFinalizer) };
    case "forget":
      return { writes: removeOwners(node, address, decision.uids) };
    case "delete": {
      const unblocked = decision.unblock ? unblockOwners(node, address) : [];
      return { writes: [...unblocked, ...deletion(node, address, decision.policy)] };
    }
  }
}

/** Dependents lose their reference to an object that is deleted without them; then it goes. */
export function planOrphaning(node: GraphNode, address: ResourceAddress): Plan | undefined {
  if (!leavesOrphans(node)) return undefined;
  const dependents = [...node.dependents].flatMap((dependent) =>
    dependent.address === undefined ? [] : removeOwners(dependent, dependent.address, [node.uid]),
  );
  return { writes: [...dependents, ...removeFinalizer(node, address, orphanFinalizer)] };
}

/** A reference to an owner in another namespace means nothing, and an Event says so. */
export function misplacedEvent(
  { kind, namespace, name, uid, apiVersion }: GraphNode,
  owner: OwnerReference,
): PlannedEvent {
  const whose = `${owner.apiVersion}/${owner.kind} "${owner.name}" with uid ${owner.uid}`;
  const where =
    namespace === "" ? "is in a namespace, and this object is in none" : `is not in namespace "${namespace}"`;
  const message = `the owner ${whose} ${where}`;
  const about = { kind, namespace, name, uid, apiVersion };
  return { type: "Warning", reason: "OwnerRefInvalidNamespace", message, about };
}

export function decide(
  node: GraphNode,
  owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[],
): GarbageDecision {
  if (waitsForDependents(node)) return awaitDependents(node);
  if (node.isDeleted || owners.length === 0) return { do: "nothing" };
  const of = (state: OwnerState) => owners.filter((owner) => owner.state === state);
  const [solid, absent, waiting] = [of("solid"), of("absent"), of("waiting")];
  if (solid.length > 0) {
    const uids = [...absent, ...waiting].map(({ reference }) => reference.uid);
    return uids.length === 0 ? { do: "nothing" } : { do: "forget", uids };
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    // Two objects that own each other would wait for each other forever.
    const unblock = [...node.dependents].some(waitsForDependents);
    return { do: "delete", policy: "Foreground", unblock };
  }
  return { do: "delete", policy: policyOf(node), unblock: false };
}

function awaitDependents(node: GraphNode): GarbageDecision {
  const blocking = [...node.dependents].filter(({ owners }) =>
    owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion === true),
  );
  if (blocking.length === 0) return { do: "release" };
  return { do: "await", dependents: blocking.filter((each) => !waitsForDependents(each)).map(({ uid }) => uid) };
}

/** Finalizers that are already set decide how dependents are treated. */
function policyOf({ finalizers }: GraphNode): "Background" | "Foreground" | "Orphan" {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}
