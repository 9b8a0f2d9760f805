/** One controller manager leads: a lease changes hands only after it has run out or was given up. */

import { type Cluster, eventually } from "./cluster.ts";
import { leaseSeconds } from "./manager.ts";
import type { Subject } from "./subject.ts";

const prefix = "/coordination.orch.io/leases/orch-system/orch-controller-manager";

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export function leadership(cluster: Cluster): Subject {
  const specs = (): LeaseSpec[] =>
    cluster.record
      .under(prefix)
      .filter(({ key, deleted }) => key === prefix && !deleted)
      .map((change) => change.object().spec as LeaseSpec); // checked below
  return {
    name: "one controller manager leads",
    run: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    async verify() {
      const before = specs().length;
      await eventually("the leader renews its lease", async () => {
        await cluster.record.catchUp();
        return specs().length > before + 1 || undefined;
      });
      let [previous, ...rest] = specs();
      let changes = 0;
      for (const next of rest) {
        const taken = next.holderIdentity !== previous?.holderIdentity && previous?.holderIdentity;
        if (taken) {
          changes += 1;
          // All processes share one clock here. The renewal is stamped before it is sent, so the lease lives at least this long.
          const livesUntil = Date.parse(previous?.renewTime ?? "") + leaseSeconds * 1_000;
          if (Date.parse(next.renewTime ?? "") < livesUntil) {
            throw new Error(`taken too early: ${JSON.stringify(previous)} then ${JSON.stringify(next)}`);
          }
        }
        previous = next;
      }
      return `${rest.length} renewals, the lease changed hands ${changes} times`;
    },
  };
}
