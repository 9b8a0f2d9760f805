/** A CSIStorageCapacity shows how much storage a driver has left for a topology. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { optional, quantity, type Static, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { labelWarning } from "../../core/v1/volume/warnings.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const CSIStorageCapacity = kind({
  group: "storage.orch.io",
  version: "v1beta1",
  until: "1.27",
  kind: "CSIStorageCapacity",
  resource: "csistoragecapacities",
  scope: "Namespaced",
  gate: "CSIStorageCapacity",
  doc: "A CSIStorageCapacity shows how much storage a driver has left for a topology.",
  fields: {
    nodeTopology: optional(LabelSelector)
      .at(2)
      .checked(validateLabelSelector)
      .immutable()
      .doc("Labels of the nodes that can reach the storage. Absent: none can."),
    storageClassName: string().at(3).named("subdomain").immutable().doc("The storage class that the capacity is for."),
    capacity: optional(quantity()).at(4).atLeast(0).doc("The free capacity. Absent: unknown."),
    maximumVolumeSize: optional(quantity()).at(5).doc("The largest size of a single volume. Absent: unknown."),
  },
  unconditionalUpdate: false,
  warnings: ({ nodeTopology: { matchLabels = {}, matchExpressions = [] } = {} }, _old, environment) =>
    environment.since("1.26")
      ? [
          ...matchExpressions.flatMap(({ key }, index) =>
            labelWarning(key, `nodeTopology.matchExpressions[${index}].key`, environment, `${key} is `),
          ),
          ...Object.keys(matchLabels).flatMap((key) =>
            labelWarning(key, `nodeTopology.matchLabels.${key}`, environment),
          ),
        ]
      : [],
});
export type CSIStorageCapacity = Static<typeof CSIStorageCapacity>;
