/** What the pod requests must be left on the node. */

import type { NodeFilter } from "./filter.ts";

export const resources: NodeFilter = ({ requests }) => {
  return ({ allocatable, used }) => {
    let short: string[] | undefined;
    let isPossible = true;
    for (const [name, amount] of requests) {
      if (amount === 0) continue;
      const total = allocatable.get(name) ?? 0;
      if (amount <= total - (used.get(name) ?? 0)) continue;
      short ??= [];
      short.push(name === "pods" ? "Too many pods" : `Insufficient ${name}`);
      isPossible &&= amount <= total;
    }
    return short && { reasons: short, canPreempt: isPossible };
  };
};
