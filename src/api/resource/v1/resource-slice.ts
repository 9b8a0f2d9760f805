/** A ResourceSlice publishes devices of a driver, with who can use them. */

import type { Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { sliceRelations } from "./slice-relations.ts";
import { ResourceSliceSpec } from "./slice-spec.ts";
import { stampTaints } from "./taint-times.ts";

export const ResourceSlice = kind({
  group: "resource.orch.io",
  version: "v1",
  since: "1.34",
  kind: "ResourceSlice",
  resource: "resourceslices",
  scope: "Cluster",
  doc: "A ResourceSlice publishes devices of a driver, with who can use them.",
  fields: { spec: ResourceSliceSpec.at(2).doc("The devices, and the nodes that can use them.") },
  generation: true,
  returnsDeleted: true,
  prepareForCreate: ({ spec }, environment) => stampTaints(taintsOf(spec), environment),
  prepareForUpdate: ({ spec }, _old, environment) => stampTaints(taintsOf(spec), environment),
  relations: sliceRelations,
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.driver": ({ spec }) => spec.driver,
  },
  columns: (column) => [
    nameColumn,
    column("Node", ({ spec }) => spec.nodeName ?? ""),
    column("Driver", ({ spec }) => spec.driver),
    column("Pool", ({ spec }) => spec.pool.name),
    ageColumn,
  ],
});
export type ResourceSlice = Static<typeof ResourceSlice>;

const taintsOf = ({ devices }: Static<typeof ResourceSliceSpec>) =>
  (devices ?? []).flatMap(({ taints }) => taints ?? []);
