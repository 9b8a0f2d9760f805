/** The node selector and the required affinity of a pod. */

import { fitsNode } from "../../controllers/parts/nodes/affinity.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const refusal = rejected("node(s) didn't match Pod's node affinity/selector");

export const nodeAffinity: NodeFilter = ({ pod: { spec } }) => {
  const hasSelector = Object.keys(spec?.nodeSelector ?? {}).length > 0;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (spec === undefined || (!hasSelector && required === undefined)) return undefined;
  return ({ node }) => (fitsNode(spec, node) ? undefined : refusal);
};
