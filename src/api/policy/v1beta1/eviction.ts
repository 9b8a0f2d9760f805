/** An Eviction deletes a pod unless a disruption budget forbids it. */

import { bool, elided, int64, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

const Preconditions = struct("meta.v1.Preconditions", {
  uid: optional(string()).at(1).doc("The uid that the object must have."),
  resourceVersion: optional(string()).at(2).doc("The resourceVersion that the object must have."),
});

export const DeleteOptions = struct("meta.v1.DeleteOptions", {
  gracePeriodSeconds: optional(int64())
    .at(1)
    .doc("Seconds until the object is deleted; 0 deletes at once. Absent: the default of the kind."),
  preconditions: optional(Preconditions)
    .at(2)
    .doc("What must hold for the object to be deleted; otherwise the answer is 409."),
  orphanDependents: optional(bool()).at(3).doc("Deprecated: use propagationPolicy. Whether dependents stay."),
  propagationPolicy: optional(string())
    .at(4)
    .doc(
      "What happens to dependents: Orphan leaves them, Background deletes them later, Foreground deletes them first.",
    ),
  dryRun: elided(list(string())).at(5).doc("All: everything is checked, nothing is stored."),
  ignoreStoreReadErrorWithClusterBreakingPotential: optional(bool()).at(6).since("1.32").doc("Accepted, and ignored."),
});
export type DeleteOptions = Static<typeof DeleteOptions>;

export const Eviction = kind({
  group: "policy",
  version: "v1beta1",
  until: "1.25",
  kind: "Eviction",
  resource: "evictions",
  scope: "Namespaced",
  verbs: [],
  doc: "An Eviction deletes a pod unless a disruption budget forbids it.",
  fields: {
    deleteOptions: optional(DeleteOptions).at(2).doc("Options of the delete, such as the grace period."),
  },
});
export type Eviction = Static<typeof Eviction>;
