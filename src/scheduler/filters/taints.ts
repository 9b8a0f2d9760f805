/** Taints that a pod does not tolerate keep it away. */

import { tolerates } from "../../controllers/parts/nodes/taints.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const effects = ["NoSchedule", "NoExecute"];

export const taints: NodeFilter = ({ pod }) => {
  const tolerations = pod.spec?.tolerations ?? [];
  return (node) => {
    if (node.taints.length === 0) return undefined;
    const taint = node.taints.find(
      (one) => effects.includes(one.effect) && !tolerations.some((toleration) => tolerates(toleration, one)),
    );
    return taint && rejected(`node(s) had taint {${taint.key}: ${taint.value ?? ""}}, that the pod didn't tolerate`);
  };
};
