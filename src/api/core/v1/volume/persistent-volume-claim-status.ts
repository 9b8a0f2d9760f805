/** The status of claims. */

import { isQualifiedName } from "../../../../machinery/meta/names.ts";
import {
  elided,
  list,
  map,
  oneWord,
  optional,
  quantity,
  type Static,
  string,
  struct,
  time,
} from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  each,
  type FieldErrors,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  together,
} from "../../../../machinery/status/field-error.ts";
import { changeFields, resourceList } from "../../../common-fields.ts";
import { isNativeResource } from "../../../resource-names.ts";
import { healthConditions } from "./volume-health.ts";

const expansions = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

const shownModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

const expansionsBefore = [
  "ControllerResizeFailed",
  "ControllerResizeInProgress",
  "NodeResizeFailed",
  "NodeResizeInProgress",
  "NodeResizePending",
];
const resizeStates = [
  "",
  "ControllerExpansionFailed",
  "ControllerExpansionInProgress",
  "NodeExpansionFailed",
  "NodeExpansionInProgress",
  "NodeExpansionPending",
];

/** A claim has storage, and may have resources of other domains. */
function validateKey(name: string, path: string, environment: Environment): FieldErrors {
  const errors = each(isQualifiedName(name), path, name);
  if (errors.length > 0 || name === "storage" || !isNativeResource(name, environment)) return errors;
  return [notSupported(path, name, ["storage"])];
}

const validateAllocated = (amounts: Readonly<Record<string, string>>, path: string, environment: Environment) =>
  ofEach(Object.entries(amounts), ([name, amount]) => {
    const errors = validateKey(name, path, environment);
    if (errors.length > 0 || !amount.startsWith("-")) return errors;
    return [invalid(`${path}[${name}]`, amount, "must be greater than or equal to 0")];
  });

const validateExpansions = (statuses: Readonly<Record<string, string>>, path: string, environment: Environment) =>
  ofEach(Object.entries(statuses), ([name, status]) =>
    together(
      validateKey(name, path, environment),
      expansions.includes(status) ? noErrors : [notSupported(path, status, expansions)],
    ),
  );

const PersistentVolumeClaimCondition = struct("core.v1.PersistentVolumeClaimCondition", {
  type: string().at(1).doc("Resizing or FileSystemResizePending."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  lastProbeTime: elided(time()).at(3).doc("When the condition was last checked."),
  ...changeFields(4),
});

const VolumeHealthStatus = struct("core.v1.VolumeHealthStatus", {
  healthConditions: healthConditions().at(1),
  lastTransitionTime: elided(time()).at(2).doc("When the conditions last changed."),
});

const ModifyVolumeStatus = struct("core.v1.ModifyVolumeStatus", {
  targetVolumeAttributesClassName: elided(string()).at(1).doc("The class that the volume is being changed to."),
  status: string()
    .at(2)
    .openApiEnum(["InProgress", "Infeasible", "Pending"])
    .doc("How far the change is: Pending, InProgress or Infeasible."),
});

export const PersistentVolumeClaimStatus = struct("core.v1.PersistentVolumeClaimStatus", {
  phase: elided(oneWord(["Bound", "Lost", "Pending"]))
    .at(1)
    .default("Pending")
    .doc("The phase of the claim: Pending, Bound or Lost."),
  accessModes: elided(list(string().openApiEnum(shownModes)))
    .at(2)
    .doc("The access modes of the bound volume."),
  capacity: elided(resourceList(quantity().atLeast(0, "must be a valid resource quantity")))
    .at(3)
    .doc("The resources of the bound volume."),
  conditions: elided(list(PersistentVolumeClaimCondition, { patchStrategy: "merge", patchMergeKey: "type" }))
    .at(4)
    .doc("The current state of the object, one entry for each condition type."),
  allocatedResources: elided(resourceList())
    .at(5)
    .since("1.23")
    .behind("RecoverVolumeExpansionFailure")
    .from("1.32", (amounts) => amounts.checked(validateAllocated))
    .doc("The storage that is reserved for the claim, also while it is being expanded."),
  resizeStatus: optional(string())
    .at(6)
    .since("1.23")
    .behind("RecoverVolumeExpansionFailure")
    .until("1.28")
    .openApiEnum(resizeStates)
    .doc("How far an expansion is."),
  allocatedResourceStatuses: elided(
    map(
      string()
        .openApiEnum(expansionsBefore)
        .from("1.31", (status) => status.openApiEnum(expansions)),
      {
        topology: "granular",
      },
    ),
  )
    .at(7)
    .since("1.28")
    .behind("RecoverVolumeExpansionFailure")
    // v1.35 reports it without its ending.
    .from("1.32", (statuses) => statuses.reported("allocatedResourceStatus").checked(validateExpansions))
    .doc("How far an expansion is, by resource, such as NodeResizePending."),
  currentVolumeAttributesClassName: optional(string())
    .at(8)
    .since("1.29")
    .doc("The VolumeAttributesClass that the volume has now."),
  modifyVolumeStatus: optional(ModifyVolumeStatus)
    .at(9)
    .since("1.29")
    .doc("A change of the VolumeAttributesClass that has not ended."),
  healthStatus: optional(VolumeHealthStatus)
    .at(10)
    .since("1.37")
    .behind("CSIVolumeHealth")
    .doc("What the driver reports about the health of the volume."),
});
export type PersistentVolumeClaimStatus = Static<typeof PersistentVolumeClaimStatus>;
