/** podgc: pods that nobody will ever look after again are deleted. */

import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { hasReason } from "../../client/requests/send.ts";
import type { Controller } from "../contract.ts";
import { messageOf } from "../pods/pod-control.ts";
import { createMissingNodes, surplusPods, unscheduledDeleting } from "./reconcile.ts";

const roundMs = 20_000;

export const podGcController: Controller = {
  name: "podgc",
  account: "pod-garbage-collector",
  start({ client, informers, clock, log, settings, every }) {
    const pods = informers.of(Pod);
    const nodes = informers.of(Node);
    const missing = createMissingNodes();

    every(roundMs, async () => {
      if (!pods.hasSynced() || !nodes.hasSynced()) return;
      const all = pods.list();
      const doomed = new Set([
        ...surplusPods(all, settings.terminatedPodGcThreshold),
        ...(await orphans(all)),
        ...unscheduledDeleting(all),
      ]);
      for (const pod of doomed) await remove(pod);
    });

    async function orphans(all: readonly Pod[]): Promise<Pod[]> {
      const names = new Set(all.map(({ spec }) => spec?.nodeName ?? ""));
      const unknown = [...names].filter((name) => name !== "" && nodes.get(name) === undefined);
      const gone = new Set<string>();
      for (const name of missing.overdue(new Set(unknown), clock.monotonic())) if (await isGone(name)) gone.add(name);
      return all.filter(({ spec }) => gone.has(spec?.nodeName ?? ""));
    }

    /** The cache may be behind, and what is deleted is gone. */
    async function isGone(name: string): Promise<boolean> {
      try {
        await client.of(Node).get({ name });
        return false;
      } catch (error) {
        if (hasReason(error, "NotFound")) return true;
        throw error;
      }
    }

    async function remove({ metadata: { namespace, name = "", uid } }: Pod): Promise<void> {
      try {
        await client
          .of(Pod)
          .delete({ namespace, name }, { gracePeriodSeconds: 0, uid, reason: "it has ended, or its node is gone" });
      } catch (error) {
        // One pod that cannot be deleted must not keep the others.
        if (!hasReason(error, "NotFound", "Conflict")) {
          log.warn("a pod could not be collected", { namespace, name, error: messageOf(error) });
        }
      }
    }
    return undefined;
  },
};
