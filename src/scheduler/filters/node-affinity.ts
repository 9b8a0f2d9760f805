/** The node selector and the required affinity of a pod. */

import { fitsNode, nodeComparisons } from "../../controllers/parts/nodes/affinity.ts";
import { eachNode } from "../each-node.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const refusal = rejected("node(s) didn't match Pod's node affinity/selector");

export const nodeAffinity: NodeFilter = ({ pod: { spec } }, cluster) => {
  const hasSelector = Object.keys(spec?.nodeSelector ?? {}).length > 0;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (spec === undefined || (!hasSelector && required === undefined)) return undefined;
  return eachNode(cluster, nodeComparisons(spec), ({ node }) => (fitsNode(spec, node) ? undefined : refusal));
};
