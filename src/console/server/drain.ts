/** Empties a node: which of its pods leave, and the eviction of each within its disruption budget. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, objectPath, withQuery } from "../../client/requests/address.ts";
import { drainedPod, evictionOf, mirrorAnnotation } from "../../operations/drain.ts";
import type { Connection } from "./connection.ts";
import { parts, text } from "./json.ts";

export interface NodePod {
  readonly name: string;
  readonly namespace: string;
  /** "leaves"; "stays": a daemon set or the node itself keeps it there; "lost": it leaves, and nothing makes it again. */
  readonly fate: "leaves" | "stays" | "lost";
}

interface Drained {
  readonly connection: Connection;
  readonly discovery: Discovery;
  /** Pods. */
  readonly resource: DiscoveredResource;
}

/** Pods that are over have nothing to lose and are left out. */
export async function podsOnNode({ connection, discovery, resource }: Drained, node: string): Promise<NodePod[]> {
  const path = withQuery(collectionPath(resource, undefined), { fieldSelector: `spec.nodeName=${node}` });
  const mirror = discovery.vocabulary.word(mirrorAnnotation);
  return parts(await connection.send.json(path), "items").flatMap((pod) => {
    const { controller, isOfNode, isDaemon, isOver } = drainedPod(pod, mirror);
    const fate = isDaemon || isOfNode ? "stays" : controller === undefined ? "lost" : "leaves";
    return isOver ? [] : [{ name: text(pod, "metadata", "name"), namespace: text(pod, "metadata", "namespace"), fate }];
  });
}

export async function evict({ connection, resource }: Drained, { name, namespace }: NodePod): Promise<void> {
  const body = evictionOf({ name, namespace });
  await connection.write.open(objectPath(resource, { name, namespace }, "eviction"), { method: "POST", body });
}
