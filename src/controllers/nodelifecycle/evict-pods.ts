/** Deletes pods that do not tolerate the taints of their node, at once or after their toleration time. */

import type { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import { sameJson } from "../../machinery/schema/json-value.ts";
import type { ControllerContext } from "../contract.ts";
import { leavesAfterMs, type PodsByNode } from "./eviction.ts";

export function evictPods(
  context: ControllerContext,
  {
    nodes,
    pods,
    podsOf,
  }: { readonly nodes: Informer<Node>; readonly pods: Informer<Pod>; readonly podsOf: PodsByNode },
): void {
  const { client, clock } = context;
  const events = context.recorder("taint-controller");
  /** When the eviction of each pod was scheduled. */
  const since = new Map<string, number>();

  const queue = context.queue({
    name: "taint_manager",
    workers: 8,
    after: [nodes, pods],
    async sync(key) {
      const pod = pods.get(key);
      const node = pod?.spec?.nodeName ? nodes.get(pod.spec.nodeName) : undefined;
      const waitMs = pod && node ? leavesAfterMs(pod, node.spec?.taints ?? []) : undefined;
      if (pod === undefined || pod.metadata.deletionTimestamp || waitMs === undefined) {
        if (since.delete(key) && pod !== undefined && !pod.metadata.deletionTimestamp)
          events.event(pod, "Normal", "TaintManagerEviction", `Cancelling deletion of Pod ${key}`);
        return;
      }
      const start = since.get(key) ?? clock.now();
      since.set(key, start);
      const leftMs = start + waitMs - clock.now();
      if (leftMs > 0) return queue.addAfter(key, leftMs);
      events.event(pod, "Normal", "TaintManagerEviction", `Marking for deletion Pod ${key}`);
      since.delete(key);
      await ifThere(
        client
          .of(Pod)
          .delete(splitKey(key), { uid: pod.metadata.uid, reason: "it does not tolerate a taint of its node" }),
      );
    },
  });
  pods.on({
    add: (pod) => queue.add(keyOf(pod)),
    update(pod, old) {
      const hasMoved = pod.spec?.nodeName !== old.spec?.nodeName;
      if (hasMoved || !sameJson(pod.spec?.tolerations, old.spec?.tolerations)) queue.add(keyOf(pod));
    },
    delete: (pod) => void since.delete(keyOf(pod)),
  });
  const lookAtPods = ({ metadata }: Node) => {
    for (const pod of podsOf(metadata.name ?? "")) queue.add(keyOf(pod));
  };
  nodes.on({
    add: lookAtPods,
    update(node, old) {
      if (!sameJson(node.spec?.taints, old.spec?.taints)) lookAtPods(node);
    },
  });
}
