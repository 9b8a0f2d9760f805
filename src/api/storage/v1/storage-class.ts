/** A StorageClass describes a way of providing volumes. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, list, map, optional, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { TopologySelectorTerm } from "../../core/v1/scheduling.ts";

export const StorageClass = kind({
  group: "storage.orch.io",
  version: "v1",
  kind: "StorageClass",
  resource: "storageclasses",
  scope: "Cluster",
  shortNames: ["sc"],
  doc: "A StorageClass describes a way of providing volumes.",
  fields: {
    provisioner: string().at(2),
    parameters: elided(map(string())).at(3),
    reclaimPolicy: optional(string()).at(4),
    mountOptions: elided(list(string())).at(5),
    allowVolumeExpansion: optional(bool()).at(6),
    volumeBindingMode: optional(string()).at(7),
    allowedTopologies: elided(list(TopologySelectorTerm)).at(8),
  },
});
export type StorageClass = Static<typeof StorageClass>;
