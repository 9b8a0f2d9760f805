/** A RuntimeClass names a way of running containers. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, map, optional, quantity, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { Toleration } from "../../core/v1/scheduling.ts";

export const Overhead = struct("node.v1.Overhead", {
  podFixed: elided(map(quantity())).at(1),
});
export type Overhead = Static<typeof Overhead>;

export const Scheduling = struct("node.v1.Scheduling", {
  nodeSelector: elided(map(string())).at(1),
  tolerations: elided(list(Toleration, { topology: "atomic" })).at(2),
});
export type Scheduling = Static<typeof Scheduling>;

export const RuntimeClass = kind({
  group: "node.orch.io",
  version: "v1",
  kind: "RuntimeClass",
  resource: "runtimeclasses",
  scope: "Cluster",
  doc: "A RuntimeClass names a way of running containers.",
  fields: {
    handler: string().at(2),
    overhead: optional(Overhead).at(3),
    scheduling: optional(Scheduling).at(4),
  },
});
export type RuntimeClass = Static<typeof RuntimeClass>;
