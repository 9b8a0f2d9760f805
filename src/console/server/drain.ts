/** Empties a node: which of its pods leave, and the eviction of each within its disruption budget. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, objectPath, withQuery } from "../../client/requests/address.ts";
import type { Connection } from "./connection.ts";
import { type Json, parts, text } from "./json.ts";

export interface NodePod {
  readonly name: string;
  readonly namespace: string;
  /** "leaves"; "stays": a daemon set or the node itself keeps it there; "lost": it leaves, and nothing makes it again. */
  readonly fate: "leaves" | "stays" | "lost";
}

export interface Drained {
  readonly connection: Connection;
  readonly discovery: Discovery;
  /** Pods. */
  readonly resource: DiscoveredResource;
}

/** Pods that are over have nothing to lose and are left out. */
export async function podsOnNode({ connection, discovery, resource }: Drained, node: string): Promise<NodePod[]> {
  const path = withQuery(collectionPath(resource, undefined), { fieldSelector: `spec.nodeName=${node}` });
  const mirror = discovery.vocabulary.word("orch.io/config.mirror");
  return parts(await connection.send.json(path), "items")
    .filter((pod) => !["Succeeded", "Failed"].includes(text(pod, "status", "phase")))
    .map((pod) => ({
      name: text(pod, "metadata", "name"),
      namespace: text(pod, "metadata", "namespace"),
      fate: fateOf(pod, mirror),
    }));
}

function fateOf(pod: Json, mirror: string): NodePod["fate"] {
  const owner = parts(pod, "metadata", "ownerReferences").find((one) => one["controller"] === true);
  if (text(owner, "kind") === "DaemonSet" || text(pod, "metadata", "annotations", mirror) !== "") return "stays";
  return owner === undefined ? "lost" : "leaves";
}

export async function evict({ connection, resource }: Drained, { name, namespace }: NodePod): Promise<void> {
  // The version of an eviction that servers of all levels take.
  const body = { kind: "Eviction", apiVersion: "policy/v1beta1", metadata: { name, namespace } };
  await connection.write.open(objectPath(resource, { name, namespace }, "eviction"), { method: "POST", body });
}
