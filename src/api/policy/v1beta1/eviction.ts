/** An Eviction asks to remove a pod unless a disruption budget forbids it. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int64, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const Preconditions = struct("meta.v1.Preconditions", {
  uid: optional(string()).at(1),
  resourceVersion: optional(string()).at(2),
});
export type Preconditions = Static<typeof Preconditions>;

export const DeleteOptions = struct("meta.v1.DeleteOptions", {
  gracePeriodSeconds: optional(int64()).at(1),
  preconditions: optional(Preconditions).at(2),
  orphanDependents: optional(bool()).at(3),
  propagationPolicy: optional(string()).at(4),
  dryRun: elided(list(string())).at(5),
});
export type DeleteOptions = Static<typeof DeleteOptions>;

export const Eviction = kind({
  group: "policy",
  version: "v1beta1",
  kind: "Eviction",
  resource: "evictions",
  scope: "Namespaced",
  verbs: [],
  doc: "An Eviction asks to remove a pod unless a disruption budget forbids it.",
  fields: {
    deleteOptions: optional(DeleteOptions).at(2),
  },
});
export type Eviction = Static<typeof Eviction>;
