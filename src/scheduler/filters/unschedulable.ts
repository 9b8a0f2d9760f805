/** Nodes that are cordoned take no pods, except those that tolerate it. */

import { tolerates } from "../../controllers/parts/nodes/taints.ts";
import { atDecision } from "../tally.ts";
import { type CheckNode, type NodeFilter, rejected } from "./filter.ts";

export const createUnschedulable = (taintKey: string): NodeFilter => {
  const taint = { key: taintKey, effect: "NoSchedule" };
  const refusal = rejected("node(s) were unschedulable");
  return ({ pod }, cluster) => {
    const tolerations = pod.spec?.tolerations ?? [];
    if (tolerations.some((toleration) => tolerates(toleration, taint))) return undefined;
    const check: CheckNode = ({ isCordoned }) => (isCordoned ? refusal : undefined);
    return atDecision(() => (cluster.cordoned > 0 ? check : undefined));
  };
};
