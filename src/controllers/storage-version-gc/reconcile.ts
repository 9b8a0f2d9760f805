/** Which reports about stored versions are removed: those of servers whose identity lease is gone. */

import { isIdentityLease } from "../../api/coordination/identity-leases.ts";
import { Lease } from "../../api/coordination/v1/lease.ts";
import { reportedStatus } from "../../api/internal/reported-versions.ts";
import { StorageVersion } from "../../api/internal/v1alpha1/storage-version.ts";
import { type Plan, read, remove, updateStatus } from "../plan.ts";

interface ReportsPass {
  readonly version: StorageVersion;
  /** As the informer knows it. */
  isAlive(id: string): boolean;
  /** Where identity leases are, and their label. */
  readonly namespace: string;
  readonly label: { readonly key: string; readonly value: string };
  readonly nowMs: number;
}

/** Undefined: every server that has reported holds its lease. Of those that seem to be gone the server is asked again. */
export function planReports(pass: ReportsPass): Plan | undefined {
  const { version, isAlive, namespace, label, nowMs } = pass;
  const reports = version.status.storageVersions ?? [];
  const doubtful = reports.flatMap(({ apiServerID: id = "" }) => (isAlive(id) ? [] : [id]));
  if (doubtful.length === 0) return undefined;
  const leases = new Map(doubtful.map((id) => [id, read(Lease, { namespace, name: id })]));
  return {
    reads: [...leases.values()],
    next(done) {
      const isGone = ({ apiServerID: id = "" }: (typeof reports)[number]) => {
        const request = leases.get(id);
        const lease = request && done.of(request);
        return request !== undefined && (lease === undefined || !isIdentityLease(lease, label));
      };
      const kept = reports.filter((report) => !isGone(report));
      if (kept.length === reports.length) return undefined;
      return kept.length === 0
        ? { writes: [removal(version)] }
        : {
            status: updateStatus(
              StorageVersion,
              { ...version, status: reportedStatus(version.status, kept, nowMs) },
              { tolerates: ["NotFound"] },
            ),
          };
    },
  };
}

/** The resourceVersion: a server that starts meanwhile adds its report, and the object stays. */
function removal({ metadata: { name = "", uid, resourceVersion } }: StorageVersion) {
  const reason = "no server that reported about it runs any more";
  return remove(StorageVersion, { name }, { uid, resourceVersion, reason });
}
