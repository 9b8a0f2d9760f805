/** PodMetrics: how much the containers of a pod use, as it was measured last. */

import { duration, elided, list, type Static, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { nameColumn } from "../../columns.ts";
import { resourceList } from "../../common-fields.ts";

const ContainerMetrics = struct("metrics.v1beta1.ContainerMetrics", {
  name: string().at(1).doc("The name of the container."),
  usage: elided(resourceList()).at(2).doc("The cpu and memory that the container used."),
});

export const PodMetrics = kind({
  group: "metrics.orch.io",
  version: "v1beta1",
  kind: "PodMetrics",
  resource: "pods",
  scope: "Namespaced",
  verbs: ["get", "list"],
  doc: "PodMetrics says how much the containers of a pod use, as it was measured last.",
  fields: {
    timestamp: time().at(2).doc("When the measurement ended."),
    window: duration().at(3).doc("How long the measurement took."),
    containers: elided(list(ContainerMetrics)).at(4).doc("The usage of each container."),
  },
  columns: (column) => [
    nameColumn,
    column("Containers", ({ containers }) => (containers ?? []).map(({ name }) => name).join(",")),
    column("Window", ({ window }) => window ?? ""),
  ],
});
export type PodMetrics = Static<typeof PodMetrics>;
