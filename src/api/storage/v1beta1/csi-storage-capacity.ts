/** A CSIStorageCapacity shows how much storage a driver has left for a topology. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { optional, quantity, type Static, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { labelWarning } from "../../core/v1/volume/warnings.ts";
import { has } from "../../features.ts";
import { LabelSelector } from "../../meta/label-selector.ts";

export const CSIStorageCapacity = kind({
  group: "storage.orch.io",
  version: "v1beta1",
  deprecated: { since: "1.24", removed: "1.27", replacement: "storage.orch.io/v1 CSIStorageCapacity" },
  kind: "CSIStorageCapacity",
  resource: "csistoragecapacities",
  scope: "Namespaced",
  behind: "CSIStorageCapacity",
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
  compat: { namedItemsUntil: "1.30" },
  warnings: ({ nodeTopology: { matchLabels = {}, matchExpressions = [] } = {} }, _old, environment) =>
    has(environment, "storageWarnings")
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
