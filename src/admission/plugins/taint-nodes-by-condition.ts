/** Lets a new node take no pods until it has said that it is ready. */

import type { Node } from "../../api/core/v1/node.ts";
import { type AdmissionContext, isAbout } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";

const effect = "NoSchedule";

export function createTaintNodesByCondition(context: AdmissionContext): AdmissionPlugin {
  const key = context.catalog.environment.vocabulary.word("node.orch.io/not-ready");
  return {
    name: "TaintNodesByCondition",
    handles: (request) => request.operation === "CREATE" && isAbout(request, "", "nodes"),
    mutate({ object }) {
      const node = object as unknown as Node; // `handles` lets only nodes through
      node.spec ??= {};
      const own = node.spec.taints ?? [];
      if (own.some((taint) => taint.key === key && taint.effect === effect)) return;
      node.spec.taints = [...own, { key, effect }];
    },
  };
}
