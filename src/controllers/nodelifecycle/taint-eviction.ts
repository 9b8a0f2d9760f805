/** taint-eviction: deletes pods that do not tolerate the taints of their node. Before 1.29 it is a part of nodelifecycle. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Controller } from "../contract.ts";
import { evictPods } from "./evict-pods.ts";
import { podsByNode } from "./eviction.ts";

export const taintEviction: Controller = {
  name: "taint-eviction",
  since: "1.29",
  account: "node-controller",
  start(context) {
    if (!context.settings.enableTaintManager) return undefined;
    const nodes = context.informers.of(Node);
    const pods = context.informers.of(Pod);
    evictPods(context, { nodes, pods, podsOf: podsByNode(pods) });
    return undefined;
  },
};
