/** The status of claims. */

import {
  elided,
  list,
  map,
  optional,
  quantity,
  type Static,
  string,
  struct,
  time,
} from "../../../../machinery/schema/build.ts";
import { changeFields, resourceList } from "../../../common-fields.ts";

const PersistentVolumeClaimCondition = struct("core.v1.PersistentVolumeClaimCondition", {
  type: string().at(1).doc("Resizing or FileSystemResizePending."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  lastProbeTime: elided(time()).at(3).doc("When the condition was last checked."),
  ...changeFields(4),
});

const ModifyVolumeStatus = struct("core.v1.ModifyVolumeStatus", {
  targetVolumeAttributesClassName: elided(string()).at(1).doc("The class that the volume is being changed to."),
  status: string()
    .at(2)
    .openApiEnum(["InProgress", "Infeasible", "Pending"])
    .doc("How far the change is: Pending, InProgress or Infeasible."),
});

export const PersistentVolumeClaimStatus = struct("core.v1.PersistentVolumeClaimStatus", {
  phase: elided(string())
    .at(1)
    .openApiEnum(["Bound", "Lost", "Pending"])
    .default("Pending")
    .doc("The phase of the claim: Pending, Bound or Lost."),
  accessModes: elided(list(string())).at(2).doc("The access modes of the bound volume."),
  capacity: elided(resourceList(quantity().atLeast(0, "must be a valid resource quantity")))
    .at(3)
    .doc("The resources of the bound volume."),
  conditions: elided(list(PersistentVolumeClaimCondition, { patchStrategy: "merge", patchMergeKey: "type" }))
    .at(4)
    .doc("The current state of the object, one entry for each condition type."),
  allocatedResources: elided(resourceList())
    .at(5)
    .since("1.23")
    .doc("The storage that is reserved for the claim, also while it is being expanded."),
  allocatedResourceStatuses: elided(map(string(), { topology: "granular" }))
    .at(7)
    .since("1.28")
    .doc("How far an expansion is, by resource, such as NodeResizePending."),
  currentVolumeAttributesClassName: optional(string())
    .at(8)
    .since("1.29")
    .doc("The VolumeAttributesClass that the volume has now."),
  modifyVolumeStatus: optional(ModifyVolumeStatus)
    .at(9)
    .since("1.29")
    .doc("A change of the VolumeAttributesClass that has not ended."),
});
export type PersistentVolumeClaimStatus = Static<typeof PersistentVolumeClaimStatus>;
