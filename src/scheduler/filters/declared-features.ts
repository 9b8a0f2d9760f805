/** A pod that needs a feature of the agent gets only nodes that declare it. */

import { featuresNeededBy } from "../../api/core/v1/node/declared-features.ts";
import { type NodeFilter, rejected } from "./filter.ts";

export const declaredFeatures: NodeFilter = ({ pod }) => {
  const needed = pod.spec === undefined ? [] : featuresNeededBy(pod.spec);
  if (needed.length === 0) return undefined;
  return ({ node }) => {
    const missing = needed.filter((feature) => !node.status?.declaredFeatures?.includes(feature));
    if (missing.length === 0) return undefined;
    return rejected(`node declared features check failed - unsatisfied requirements: ${missing.join(", ")}`);
  };
};
