/** A Lease is a lock that its holder keeps by renewing it before it runs out. */

import { elided, int32, microTime, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { type FieldError, invalid } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

export const LeaseSpec = struct("coordination.v1.LeaseSpec", {
  holderIdentity: optional(string()).at(1).doc("The identity of the holder. Empty: the lease is free."),
  leaseDurationSeconds: optional(int32()).at(2).doc("Seconds after renewTime until others may take the lease."),
  acquireTime: optional(microTime()).at(3).doc("When the present holder took the lease."),
  renewTime: optional(microTime()).at(4).doc("When the holder last renewed the lease."),
  leaseTransitions: optional(int32()).at(5).doc("How often the lease has changed hands."),
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
    spec: elided(LeaseSpec).at(2).doc("The desired state of the lease, set by its users."),
  },
  createOnUpdate: true,
  unconditionalUpdate: false,
  plainFinalizers: true,
  validate: ({ spec = {} }) => validateSpec(spec),
  columns: (column) => [nameColumn, column("Holder", ({ spec }) => spec?.holderIdentity ?? ""), ageColumn],
});
export type Lease = Static<typeof Lease>;

function validateSpec({ leaseDurationSeconds: seconds, leaseTransitions: transitions }: LeaseSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (seconds !== undefined && seconds <= 0)
    errors.push(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
  }
  return errors;
}
