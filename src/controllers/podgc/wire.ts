/** podgc: deletes pods that no node will ever run again. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { hasReason } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { messageOf } from "../plan.ts";
import { createMissingNodes, hasEnded, isUnscheduledDeleting, surplusPods } from "./reconcile.ts";

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

    every(roundMs, async () => {
      if (!pods.hasSynced() || !nodes.hasSynced()) return;
      const doomed = new Map<string, { readonly pod: Pod; readonly reason: string }>();
      const add = (garbage: readonly Pod[], reason: string) => {
        for (const pod of garbage) doomed.set(keyOf(pod), { pod, reason });
      };
      const surplus = surplusPods(byState.get("ended"), settings.terminatedPodGcThreshold);
      add(surplus, "more pods have ended than --terminated-pod-gc-threshold allows");
      add(await orphans(), "its node does not exist");
      add(byState.get("unscheduled and deleted"), "it was deleted before it had a node");
      for (const { pod, reason } of doomed.values()) await remove(pod, reason);
    });

    async function orphans(): Promise<Pod[]> {
      const unknown = byNode.values().filter((name) => nodes.get(name) === undefined);
      const gone: Pod[] = [];
      for (const name of missing.overdue(new Set(unknown), clock.monotonic()))
        if (await isGone(name)) gone.push(...byNode.get(name));
      return gone;
    }

    /** The cache may be behind, and a deletion cannot be undone. */
    async function isGone(name: string): Promise<boolean> {
      try {
        await client.of(Node).get({ name });
        return false;
      } catch (error) {
        if (hasReason(error, "NotFound")) return true;
        // The next round checks again; pods of other nodes are not delayed.
        log.warn("whether a node exists could not be determined", { node: name, error: messageOf(error) });
        return false;
      }
    }

    async function remove({ metadata: { namespace, name = "", uid } }: Pod, reason: string): Promise<void> {
      try {
        await client.of(Pod).delete({ namespace, name }, { gracePeriodSeconds: 0, uid, reason });
      } catch (error) {
        // A pod that cannot be deleted must not prevent the deletion of others.
        if (!hasReason(error, "NotFound", "Conflict")) {
          log.warn("a pod could not be collected", { namespace, name, error: messageOf(error) });
        }
      }
    }
    return undefined;
  },
};
