/** nodelifecycle: marks nodes that stop reporting as unreachable, taints nodes by their conditions, and evicts pods by taints. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { evictPods } from "./evict-pods.ts";
import { podsByNode } from "./eviction.ts";
import { markPodsNotReady } from "./mark-pods.ts";
import { monitorHealth } from "./monitor-health.ts";
import { planNode, planTaints, taintPassMs } from "./reconcile.ts";
import { executeTaint, executeTaintsOf } from "./taints.ts";
import { zonesOf } from "./zones.ts";

/** The one key of the queue of passes over all nodes. */
const allNodes = "nodes";

export const nodeLifecycle: Controller = {
  name: "nodelifecycle",
  account: "node-controller",
  start(context) {
    const { informers, vocabulary, settings, clock } = context;
    const nodes = informers.of(Node);
    const pods = informers.of(Pod);
    const taints = context.queue({
      name: "node_lifecycle_controller",
      workers: 8,
      workersWhenSlow: 64,
      onlyPlans: true,
      after: [nodes],
      sync(name) {
        const node = nodes.get(name);
        return node && planNode(node, clock.now(), vocabulary);
      },
    });
    nodes.on(enqueueChanged(taints));
    monitorHealth(context, nodes, () => nodes.hasSynced() && pods.hasSynced());
    markPodsNotReady(context, { nodes, pods, podsOf: podsByNode(pods) });
    if (!settings.enableTaintManager) return undefined;

    const bySilence = nodes.index("silence", (node) =>
      executeTaint(node, vocabulary) !== undefined || executeTaintsOf(node, vocabulary).length > 0 ? ["silent"] : [],
    );
    const tainted = new Map<string, number>();
    const zones = () => zonesOf(nodes.list(), vocabulary, settings);
    const passes = context.queue({
      name: "node_taints",
      workers: 1,
      after: [nodes, pods],
      sync: () => planTaints({ silent: bySilence.get("silent"), zones, tainted, clock, vocabulary }),
    });
    // No pass runs while all nodes report.
    const passSoon = () => {
      if (bySilence.values().length > 0) passes.addAfter(allNodes, taintPassMs);
    };
    nodes.on({ add: passSoon, update: passSoon });
    if (!context.has("taintEviction")) evictPods(context, { nodes, pods, podsOf: podsByNode(pods) });
    return undefined;
  },
};
