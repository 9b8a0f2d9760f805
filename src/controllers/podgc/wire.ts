/** podgc: deletes pods that no node will ever run again. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { ifThere } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { messageOf } from "../plan.ts";
import { createMissingNodes, hasEnded, isUnscheduledDeleting, planGarbage, surplusPods } from "./reconcile.ts";

const roundMs = 20_000;

export const podGcController: Controller = {
  name: "podgc",
  account: "pod-garbage-collector",
  start({ client, informers, clock, log, settings, every }) {
    const pods = informers.of(Pod);
    const nodes = informers.of(Node);
    const missing = createMissingNodes();
    // Each round reads only these: hardly any pod is garbage.
    const byNode = pods.index("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
    const byState = pods.index("garbage", (pod) => [
      ...(hasEnded(pod) ? ["ended"] : []),
      ...(isUnscheduledDeleting(pod) ? ["unscheduled and deleted"] : []),
    ]);
    /** The cache may be behind, and a deletion cannot be undone. */
    async function isGone(name: string): Promise<boolean> {
      try {
        return (await ifThere(client.of(Node).get({ name }))) === undefined;
      } catch (error) {
        // The next round checks again; pods of other nodes are not delayed.
        log.warn("whether a node exists could not be determined", { node: name, error: messageOf(error) });
        return false;
      }
    }
    async function orphans(): Promise<Pod[]> {
      const unknown = byNode.values().filter((name) => nodes.get(name) === undefined);
      const gone: Pod[] = [];
      for (const name of missing.overdue(new Set(unknown), clock.monotonic()))
        if (await isGone(name)) gone.push(...byNode.get(name));
      return gone;
    }
    every(roundMs, async () => {
      if (!pods.hasSynced() || !nodes.hasSynced()) return;
      const surplus = surplusPods(byState.get("ended"), settings.terminatedPodGcThreshold);
      return planGarbage([
        ["more pods have ended than --terminated-pod-gc-threshold allows", surplus],
        ["its node does not exist", await orphans()],
        ["it was deleted before it had a node", byState.get("unscheduled and deleted")],
      ]);
    });
    return undefined;
  },
};
