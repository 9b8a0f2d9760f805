/** Taints that a pod does not tolerate keep it away. */

import { tolerates } from "../../controllers/parts/nodes/taints.ts";
import { eachNode } from "../each-node.ts";
import { counted } from "../tally.ts";
import { type CheckNode, type NodeFilter, type NodeRejection, rejected } from "./filter.ts";

const effects = ["NoSchedule", "NoExecute"];

export const taints: NodeFilter = ({ pod }, cluster) => {
  const tolerations = pod.spec?.tolerations ?? [];
  /** While a cluster starts, thousands of nodes have the same taint. */
  const rejections = new Map<string, NodeRejection>();
  const rejectionOf = (taint: string): NodeRejection => {
    const known = rejections.get(taint);
    if (known !== undefined) return known;
    const rejection = rejected(`node(s) had taint {${taint}}, that the pod didn't tolerate`);
    rejections.set(taint, rejection);
    return rejection;
  };
  const looks = eachNode(cluster, tolerations.length, (node) => {
    if (node.taints.length === 0) return undefined;
    const taint = node.taints.find(
      (one) => effects.includes(one.effect) && !tolerations.some((toleration) => tolerates(toleration, one)),
    );
    return taint && rejectionOf(`${taint.key}: ${taint.value ?? ""}`);
  });
  return counted<CheckNode, CheckNode | undefined>(looks, (check) => (cluster.tainted > 0 ? check : undefined));
};
