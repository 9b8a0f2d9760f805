/** Nodes that are cordoned take no pods, except those that tolerate it. */

import { tolerates } from "../../controllers/parts/nodes/taints.ts";
import { type NodeFilter, rejected } from "./filter.ts";

export const createUnschedulable = (taintKey: string): NodeFilter => {
  const taint = { key: taintKey, effect: "NoSchedule" };
  const refusal = rejected("node(s) were unschedulable");
  return ({ pod }) => {
    const tolerations = pod.spec?.tolerations ?? [];
    if (tolerations.some((toleration) => tolerates(toleration, taint))) return undefined;
    return ({ isCordoned }) => (isCordoned ? refusal : undefined);
  };
};
