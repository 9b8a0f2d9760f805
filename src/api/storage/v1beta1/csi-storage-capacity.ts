/** A CSIStorageCapacity shows how much storage a driver has left for a topology. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import { optional, quantity, type Static, string } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { type FieldError, invalid } from "../../../machinery/status/field-error.ts";
import { validateQuantityNotNegative } from "../../core/v1/pod/validate-resources.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { immutable } from "../../validation.ts";

export const CSIStorageCapacity = kind({
  group: "storage.orch.io",
  version: "v1beta1",
  kind: "CSIStorageCapacity",
  resource: "csistoragecapacities",
  scope: "Namespaced",
  gate: "CSIStorageCapacity",
  doc: "A CSIStorageCapacity shows how much storage a driver has left for a topology.",
  fields: {
    nodeTopology: optional(LabelSelector)
      .at(2)
      .doc("Labels of the nodes that can reach the storage. Absent: none can."),
    storageClassName: string().at(3).doc("The storage class that the capacity is for."),
    capacity: optional(quantity()).at(4).doc("The free capacity. Absent: unknown."),
    maximumVolumeSize: optional(quantity()).at(5).doc("The largest size of a single volume. Absent: unknown."),
  },
  unconditionalUpdate: false,
  validate: validateCapacity,
  validateUpdate: (capacity, old) => [
    ...validateCapacity(capacity),
    ...immutable("nodeTopology", capacity.nodeTopology, old.nodeTopology),
    ...immutable("storageClassName", capacity.storageClassName, old.storageClassName),
  ],
});
export type CSIStorageCapacity = Static<typeof CSIStorageCapacity>;

interface CapacityLike {
  readonly nodeTopology?: LabelSelector;
  readonly storageClassName: string;
  readonly capacity?: string;
}

function validateCapacity({ nodeTopology, storageClassName, capacity }: CapacityLike): FieldError[] {
  return [
    ...isDns1123Subdomain(storageClassName).map((problem) => invalid("storageClassName", storageClassName, problem)),
    ...validateLabelSelector(nodeTopology, "nodeTopology"),
    ...(capacity === undefined ? [] : validateQuantityNotNegative(capacity, "capacity")),
  ];
}
