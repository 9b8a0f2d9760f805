/** podgc: deletes pods that no node will ever run again. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Controller } from "../contract.ts";
import { isDeleting } from "../parts/pods/state.ts";
import {
  createMissingNodes,
  hasEnded,
  isOutOfService,
  isUnscheduledDeleting,
  planGarbage,
  planOrphans,
  surplusPods,
} from "./reconcile.ts";

const roundMs = 20_000;

export const podGcController: Controller = {
  name: "podgc",
  account: "pod-garbage-collector",
  start({ informers, vocabulary, clock, settings, has, every }) {
    const pods = informers.of(Pod);
    const nodes = informers.of(Node);
    const missing = createMissingNodes();
    const isMarked = has("disruptionTargets");
    const outOfService = vocabulary.word("node.orch.io/out-of-service");
    // Each round reads only these: hardly any pod is garbage.
    const byNode = pods.index("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
    const byState = pods.index("garbage", (pod) => [
      ...(hasEnded(pod) ? ["ended"] : []),
      ...(isUnscheduledDeleting(pod) ? ["unscheduled and deleted"] : []),
    ]);
    const stopped = nodes.index("out of service", (node) => (isOutOfService(node, outOfService) ? ["yes"] : []));
    const surplus = { reason: "more pods have ended than --terminated-pod-gc-threshold allows", isMarked };
    const unscheduled = { reason: "it was deleted before it had a node", isMarked };
    const off = { reason: "its node is out of service", isMarked };
    every(roundMs, () => {
      if (!pods.hasSynced() || !nodes.hasSynced()) return;
      const nowMs = clock.now();
      const unknown = new Set(byNode.values().filter((name) => nodes.get(name) === undefined));
      const onStopped = has("outOfServiceNodes")
        ? stopped.get("yes").flatMap(({ metadata }) => byNode.get(metadata.name ?? "").filter(isDeleting))
        : [];
      return [
        ...planGarbage(surplusPods(byState.get("ended"), settings.terminatedPodGcThreshold), surplus, nowMs),
        ...planGarbage(onStopped, off, nowMs),
        ...missing
          .overdue(unknown, clock.monotonic())
          .map((name) => planOrphans(name, byNode.get(name), isMarked, nowMs)),
        ...planGarbage(byState.get("unscheduled and deleted"), unscheduled, nowMs),
      ];
    });
    return undefined;
  },
};
