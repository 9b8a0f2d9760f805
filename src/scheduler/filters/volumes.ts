/** The volumes of a pod's claims may be usable on some nodes only. */

import { fitsNode, nodeComparisons } from "../../controllers/parts/nodes/affinity.ts";
import { eachNode } from "../each-node.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const refusal = rejected("node(s) had volume node affinity conflict");

export const volumes: NodeFilter = (_pod, cluster, facts) => {
  const specs = facts.volumes.flatMap((required) =>
    required === undefined
      ? []
      : [{ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }],
  );
  if (specs.length === 0) return undefined;
  const cost = specs.reduce((sum, spec) => sum + nodeComparisons(spec), 0);
  return eachNode(cluster, cost, ({ node }) => (specs.every((spec) => fitsNode(spec, node)) ? undefined : refusal));
};
