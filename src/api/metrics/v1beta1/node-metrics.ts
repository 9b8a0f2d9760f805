/** NodeMetrics: how much a node uses, as it was measured last. */

import { duration, elided, type Static, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { nameColumn } from "../../columns.ts";
import { resourceList } from "../../common-fields.ts";

export const NodeMetrics = kind({
  group: "metrics.orch.io",
  version: "v1beta1",
  kind: "NodeMetrics",
  resource: "nodes",
  scope: "Cluster",
  verbs: ["get", "list"],
  doc: "NodeMetrics says how much a node uses, as it was measured last.",
  fields: {
    timestamp: time().at(2).doc("When the measurement ended."),
    window: duration().at(3).doc("How long the measurement took."),
    usage: elided(resourceList()).at(4).doc("The cpu and memory that the node used."),
  },
  columns: (column) => [
    nameColumn,
    column("CPU", ({ usage }) => usage?.["cpu"] ?? ""),
    column("Memory", ({ usage }) => usage?.["memory"] ?? ""),
    column("Window", ({ window }) => window ?? ""),
  ],
});
export type NodeMetrics = Static<typeof NodeMetrics>;
