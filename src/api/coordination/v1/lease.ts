/** A Lease is a lock that its holder keeps by renewing it before it runs out. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, microTime, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const LeaseSpec = struct("coordination.v1.LeaseSpec", {
  holderIdentity: optional(string()).at(1),
  leaseDurationSeconds: optional(int32()).at(2),
  acquireTime: optional(microTime()).at(3),
  renewTime: optional(microTime()).at(4),
  leaseTransitions: optional(int32()).at(5),
});
export type LeaseSpec = Static<typeof LeaseSpec>;

export const Lease = kind({
  group: "coordination.orch.io",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  scope: "Namespaced",
  doc: "A Lease is a lock that its holder keeps by renewing it before it runs out.",
  fields: {
    spec: elided(LeaseSpec).at(2),
  },
});
export type Lease = Static<typeof Lease>;
