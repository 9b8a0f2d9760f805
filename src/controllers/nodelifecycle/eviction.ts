/** The pods of a node, and when one must leave it because of the node's taints. */

import type { Taint } from "../../api/core/v1/node/spec.ts";
import type { Toleration } from "../../api/core/v1/pod/scheduling.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { secondsMs } from "../../machinery/values/integer.ts";

/** Milliseconds after the taints came; 0: at once; undefined: never. */
export function leavesAfterMs({ spec }: Pod, taints: readonly Taint[]): number | undefined {
  const executing = taints.filter(({ effect }) => effect === "NoExecute");
  if (executing.length === 0) return undefined;
  const used: Toleration[] = [];
  for (const taint of executing) {
    const toleration = (spec?.tolerations ?? []).find((each) => tolerates(each, taint));
    if (toleration === undefined) return 0;
    used.push(toleration);
  }
  const waits = used.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [secondsMs(tolerationSeconds)],
  );
  return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
}

/** An empty effect means all effects; an empty key with Exists means all taints. */
function tolerates({ key = "", operator = "", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") && key !== "" && value === (taint.value ?? "");
}

/** The pods of one node. */
export type PodsByNode = (nodeName: string) => readonly Pod[];

export function podsByNode(pods: Informer<Pod>): PodsByNode {
  const index = pods.index("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  return (nodeName) => index.get(nodeName);
}
