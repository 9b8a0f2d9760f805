/** unscheduled-pods: where no scheduler runs, an Event on each pod that waits for one says so. */

import { Lease } from "../../api/coordination/v1/lease.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Controller } from "../contract.ts";
import { hasScheduler, isUnscheduled, ownerKeyOf, planReports, reportsPerOwnerMax } from "./reconcile.ts";

const roundMs = 10_000;

export const unscheduledPods: Controller = {
  name: "unscheduled-pods",
  offByDefault: true, // `orch up` turns it on: a separate controller manager usually has a scheduler beside it
  start({ informers, vocabulary, clock, every }) {
    const namespace = vocabulary.word("orch-system");
    const leaseName = vocabulary.word("orch-scheduler");
    const leases = informers.of(Lease, { namespace, fieldSelector: `metadata.name=${leaseName}` });
    const pods = informers.of(Pod);
    const waiting = pods.index("unscheduled", (pod) => (isUnscheduled(pod) ? [ownerKeyOf(pod)] : []));
    /** By owner: the pods that were reported. */
    const reported = new Map<string, Set<string>>();
    every(
      roundMs,
      () => {
        if (!pods.hasSynced() || !leases.hasSynced()) return;
        if (hasScheduler(leases.get(`${namespace}/${leaseName}`), clock.now())) return;
        const owners = new Set(waiting.values());
        for (const owner of reported.keys()) if (!owners.has(owner)) reported.delete(owner);
        return [...owners].flatMap((owner) => {
          const known = reported.get(owner) ?? new Set<string>();
          reported.set(owner, known);
          // The pods of an owner are not even read once enough of them are reported.
          return known.size < reportsPerOwnerMax ? planReports(waiting.get(owner), known, clock.now()) : [];
        });
      },
      vocabulary.word("orch-controller-manager"),
    );
    return undefined;
  },
};
