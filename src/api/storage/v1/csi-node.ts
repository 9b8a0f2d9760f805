/** A CSINode lists the storage drivers of one node. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const VolumeNodeResources = struct("storage.v1.VolumeNodeResources", {
  count: optional(int32()).at(1),
});
export type VolumeNodeResources = Static<typeof VolumeNodeResources>;

export const CSINodeDriver = struct("storage.v1.CSINodeDriver", {
  name: string().at(1),
  nodeID: string().at(2),
  topologyKeys: elided(list(string())).at(3),
  allocatable: optional(VolumeNodeResources).at(4),
});
export type CSINodeDriver = Static<typeof CSINodeDriver>;

export const CSINodeSpec = struct("storage.v1.CSINodeSpec", {
  drivers: list(CSINodeDriver, { patchStrategy: "merge", patchMergeKey: "name" }).at(1),
});
export type CSINodeSpec = Static<typeof CSINodeSpec>;

export const CSINode = kind({
  group: "storage.orch.io",
  version: "v1",
  kind: "CSINode",
  resource: "csinodes",
  scope: "Cluster",
  doc: "A CSINode lists the storage drivers of one node.",
  fields: {
    spec: CSINodeSpec.at(2),
  },
});
export type CSINode = Static<typeof CSINode>;
