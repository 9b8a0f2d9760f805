/** Pods of a node that is not ready are not ready either. */

import type { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { ControllerContext } from "../contract.ts";
import { updateStatus } from "../plan.ts";
import type { PodsByNode } from "./eviction.ts";
import { readyOf } from "./health.ts";

export function markPodsNotReady(
  context: ControllerContext,
  {
    nodes,
    pods,
    podsOf,
  }: { readonly nodes: Informer<Node>; readonly pods: Informer<Pod>; readonly podsOf: PodsByNode },
): void {
  const { clock } = context;
  const queue = context.queue({
    name: "node_lifecycle_controller_pods",
    workers: 4,
    component: "node-controller",
    after: [nodes, pods],
    sync(key) {
      const pod = pods.get(key);
      const node = pod?.spec?.nodeName ? nodes.get(pod.spec.nodeName) : undefined;
      const next = pod && node && isNotReady(node) ? notReady(pod, timeText(clock.now())) : undefined;
      if (pod === undefined || next === undefined) return;
      const event = { type: "Warning", reason: "NodeNotReady", message: "Node is not ready" } as const;
      return { about: pod, writes: [updateStatus(Pod, next, { events: [event], tolerates: ["NotFound"] })] };
    },
  });
  nodes.on({
    update(node, old) {
      if (!isNotReady(node) || readyOf(old)?.status === readyOf(node)?.status) return;
      for (const pod of podsOf(node.metadata.name ?? "")) queue.add(keyOf(pod));
    },
  });
  const changed = (pod: Pod) => {
    const node = pod.spec?.nodeName ? nodes.get(pod.spec.nodeName) : undefined;
    if (node !== undefined && isNotReady(node) && notReady(pod, "") !== undefined) queue.add(keyOf(pod));
  };
  pods.on({ add: changed, update: changed });
}

/** A node that never reported says nothing about its pods. */
function isNotReady(node: Node): boolean {
  const ready = readyOf(node);
  return ready !== undefined && ready.status !== "True";
}

/** The pod with its Ready condition set to False; undefined: it is not ready. */
function notReady(pod: Pod, now: string): Pod | undefined {
  const conditions = pod.status?.conditions ?? [];
  const at = conditions.findIndex(({ type, status }) => type === "Ready" && status === "True");
  const ready = conditions[at];
  if (ready === undefined) return undefined;
  const next = [...conditions];
  next[at] = { ...ready, status: "False", lastTransitionTime: now };
  return { ...pod, status: { ...pod.status, conditions: next } };
}
