/** A Lease is a lock that its holder keeps by renewing it before it runs out. */

import { isQualifiedName } from "../../../machinery/meta/names.ts";
import { elided, int32, microTime, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { forbid } from "../../../machinery/schema/relations.ts";
import { type FieldErrors, invalid, noErrors, notSupported } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

const oldestVersion = "OldestEmulationVersion";

const LeaseSpec = struct("coordination.v1.LeaseSpec", {
  holderIdentity: optional(string()).at(1).doc("The identity of the holder. Empty: the lease is free."),
  leaseDurationSeconds: optional(int32())
    .at(2)
    .atLeast(1, "must be greater than 0")
    .doc("Seconds after renewTime until others may take the lease."),
  acquireTime: optional(microTime()).at(3).doc("When the present holder took the lease."),
  renewTime: optional(microTime()).at(4).doc("When the holder last renewed the lease."),
  leaseTransitions: optional(int32()).at(5).atLeast(0).doc("How often the lease has changed hands."),
  strategy: optional(string())
    .at(6)
    .since("1.31")
    .checked(validateStrategy)
    .behind("CoordinatedLeaderElection")
    .doc("How the holder is chosen in a coordinated election, such as OldestEmulationVersion."),
  preferredHolder: optional(string())
    .at(7)
    .since("1.31")
    .behind("CoordinatedLeaderElection")
    .doc("Who should hold the lease next: a hint to the present holder; needs strategy."),
});

export const Lease = kind({
  group: "coordination.orch.io",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  scope: "Namespaced",
  doc: "A Lease is a lock that its holder keeps by renewing it before it runs out.",
  fields: {
    spec: elided(LeaseSpec).at(2).doc("The desired state of the lease, set by its users."),
  },
  createOnUpdate: true,
  unconditionalUpdate: false,
  plainFinalizers: true,
  isFleeting: true,
  relations: [
    forbid(
      LeaseSpec,
      "preferredHolder",
      "needs a strategy",
      ({ strategy, preferredHolder }) => Boolean(preferredHolder) && !strategy,
    ),
  ],
  columns: (column) => [nameColumn, column("Holder", ({ spec }) => spec?.holderIdentity ?? ""), ageColumn],
});
export type Lease = Static<typeof Lease>;

/** One of ours, or any with a domain; v1.35 repeats the member in the path. */
function validateStrategy(strategy: string): FieldErrors {
  if (!strategy.includes("/")) {
    return strategy === oldestVersion ? noErrors : [notSupported("strategy", strategy, [oldestVersion])];
  }
  return isQualifiedName(strategy).map((problem) => invalid("strategy", strategy, problem));
}
