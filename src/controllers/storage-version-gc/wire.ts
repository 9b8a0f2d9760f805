/** storage-version-gc: reports of servers that are gone leave the StorageVersions. */

import { identityLabel, identityNamespace, isIdentityLease } from "../../api/coordination/identity-leases.ts";
import { Lease } from "../../api/coordination/v1/lease.ts";
import { StorageVersion } from "../../api/internal/v1alpha1/storage-version.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Controller } from "../contract.ts";
import { enqueueChanged } from "../enqueue.ts";
import { planReports } from "./reconcile.ts";

export const storageVersionGc: Controller = {
  name: "storage-version-gc",
  account: "storage-version-garbage-collector",
  start({ informers, gates, environment, clock, queue: createQueue }) {
    if (!gates.enabled("APIServerIdentity") || !gates.enabled("StorageVersionAPI")) return undefined;
    const label = identityLabel(environment);
    const namespace = identityNamespace(environment);
    const leases = informers.of(Lease, { namespace });
    const versions = informers.of(StorageVersion);
    const byServer = versions.index("reporting servers", ({ status }) =>
      (status?.storageVersions ?? []).map(({ apiServerID = "" }) => apiServerID),
    );
    const isAlive = (id: string) => {
      const lease = leases.get(`${namespace}/${id}`);
      return lease !== undefined && isIdentityLease(lease, label);
    };
    const queue = createQueue({
      workers: 1,
      after: [leases, versions],
      sync(name) {
        const version = versions.get(name);
        return version && planReports({ version, isAlive, namespace, label, nowMs: clock.now() });
      },
    });
    versions.on(enqueueChanged(queue));
    const enqueueReports = ({ metadata: { name = "" } }: Lease) => {
      for (const version of byServer.get(name)) queue.add(keyOf(version));
    };
    leases.on({ delete: enqueueReports });
    return queue;
  },
};
