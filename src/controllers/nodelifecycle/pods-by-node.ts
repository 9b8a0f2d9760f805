/** Pods by the node they are bound to. */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { Informer } from "../../client/informer/contract.ts";

export type PodsByNode = (nodeName: string) => readonly Pod[];

export function podsByNode(pods: Informer<Pod>): PodsByNode {
  const index = pods.index("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  return (nodeName) => index.get(nodeName);
}
