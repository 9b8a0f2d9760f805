/** Taints a new node, so that it gets no pods until it is ready. */

import { Node } from "../../api/core/v1/node.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

const effect = "NoSchedule";

export function createTaintNodesByCondition(context: AdmissionContext): AdmissionPlugin {
  const key = context.catalog.environment.vocabulary.word("node.orch.io/not-ready");
  return plugin("TaintNodesByCondition", [
    on(Node, "CREATE", {
      mutate({ object: node }) {
        node.spec ??= {};
        const own = node.spec.taints ?? [];
        if (own.some((taint) => taint.key === key && taint.effect === effect)) return;
        node.spec.taints = [...own, { key, effect }];
      },
    }),
  ]);
}
