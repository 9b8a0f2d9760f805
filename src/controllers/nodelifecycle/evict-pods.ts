/** Deletes pods that do not tolerate the taints of their node, at once or after their toleration time. */

import type { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Informer } from "../../client/informer/contract.ts";
import { keyOf, splitKey } from "../../client/informer/keys.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import type { ControllerContext } from "../contract.ts";
import { markDisrupted } from "../parts/pods/disruption.ts";
import { type Plan, type PlannedEvent, remove } from "../plan.ts";
import { leavesAfterMs, type PodsByNode } from "./eviction.ts";

export function evictPods(
  context: ControllerContext,
  {
    nodes,
    pods,
    podsOf,
  }: { readonly nodes: Informer<Node>; readonly pods: Informer<Pod>; readonly podsOf: PodsByNode },
): void {
  const { clock } = context;
  /** When the eviction of each pod was scheduled. */
  const since = new Map<string, number>();

  const queue = context.queue({
    name: "taint_manager",
    workers: 8,
    component: context.has("taintEviction") ? "taint-eviction-controller" : "taint-controller",
    after: [nodes, pods],
    sync(key) {
      const pod = pods.get(key);
      const node = pod?.spec?.nodeName ? nodes.get(pod.spec.nodeName) : undefined;
      const waitMs = pod && node ? leavesAfterMs(pod, node.spec?.taints ?? []) : undefined;
      if (pod === undefined || pod.metadata.deletionTimestamp || waitMs === undefined) {
        const isCancelled = since.delete(key) && pod !== undefined && !pod.metadata.deletionTimestamp;
        return isCancelled ? { about: pod, events: [evictionEvent(`Cancelling deletion of Pod ${key}`)] } : undefined;
      }
      const start = since.get(key) ?? clock.monotonic();
      since.set(key, start);
      const leftMs = start + waitMs - clock.monotonic();
      if (leftMs > 0) return { reviewInMs: leftMs };
      since.delete(key);
      return planEviction(key, pod, context.has("disruptionTargets") ? clock.now() : undefined);
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
  const enqueuePods = ({ metadata }: Node) => {
    for (const pod of podsOf(metadata.name ?? "")) queue.add(keyOf(pod));
  };
  nodes.on({
    add: enqueuePods,
    update(node, old) {
      if (!sameJson(node.spec?.taints, old.spec?.taints)) enqueuePods(node);
    },
  });
}

/** `markedMs`: when the pod says so in a condition; undefined: it does not. */
function planEviction(key: string, pod: Pod, markedMs: number | undefined): Plan {
  const options = { uid: pod.metadata.uid, reason: "it does not tolerate a taint of its node" };
  const announce = evictionEvent(`Marking for deletion Pod ${key}`);
  const mark = markedMs === undefined ? undefined : markDisrupted(pod, { disruption }, markedMs);
  const removal = remove(Pod, splitKey(key), options, { announce, tolerates: ["NotFound"] });
  return { about: pod, writes: mark === undefined ? [removal] : [mark, removal] };
}

const disruption = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};

const evictionEvent = (message: string): PlannedEvent => ({ type: "Normal", reason: "TaintManagerEviction", message });
