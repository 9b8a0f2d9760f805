/** A CSIStorageCapacity tells how much storage a driver has left for a topology. */

import type { Static } from "../../../machinery/schema/build.ts";
import { optional, quantity, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const CSIStorageCapacity = kind({
  group: "storage.orch.io",
  version: "v1beta1",
  kind: "CSIStorageCapacity",
  resource: "csistoragecapacities",
  scope: "Namespaced",
  doc: "A CSIStorageCapacity tells how much storage a driver has left for a topology.",
  fields: {
    nodeTopology: optional(LabelSelector).at(2),
    storageClassName: string().at(3),
    capacity: optional(quantity()).at(4),
    maximumVolumeSize: optional(quantity()).at(5),
  },
});
export type CSIStorageCapacity = Static<typeof CSIStorageCapacity>;
