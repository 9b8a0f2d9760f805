/** A PersistentVolumeClaim asks for storage and is bound to a volume that fits. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ObjectMetaStruct } from "../../../machinery/schema/object-meta.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { resourceList } from "../../resource-list.ts";
import { dropDataSourceBehindGate, PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";
import { accessModesText, storageClassOf } from "./storage-columns.ts";
import { validateClaimStatus, validateClaimUpdate } from "./validate-claim.ts";
import { validateClaimSpec } from "./validate-claim-spec.ts";

export const PersistentVolumeClaimCondition = struct("core.v1.PersistentVolumeClaimCondition", {
  type: string().at(1),
  status: string().at(2),
  lastProbeTime: elided(time()).at(3),
  lastTransitionTime: elided(time()).at(4),
  reason: elided(string()).at(5),
  message: elided(string()).at(6),
});
export type PersistentVolumeClaimCondition = Static<typeof PersistentVolumeClaimCondition>;

export const PersistentVolumeClaimStatus = struct("core.v1.PersistentVolumeClaimStatus", {
  phase: elided(string()).at(1).default("Pending").doc("Pending, Bound or Lost."),
  accessModes: elided(list(string())).at(2),
  capacity: elided(resourceList()).at(3),
  conditions: elided(list(PersistentVolumeClaimCondition, { patchStrategy: "merge", patchMergeKey: "type" })).at(4),
});
export type PersistentVolumeClaimStatus = Static<typeof PersistentVolumeClaimStatus>;

export const PersistentVolumeClaim = kind({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  scope: "Namespaced",
  shortNames: ["pvc"],
  doc: "A PersistentVolumeClaim asks for storage and is bound to a volume that fits.",
  fields: {
    spec: elided(PersistentVolumeClaimSpec).at(2),
    status: elided(PersistentVolumeClaimStatus).at(3),
  },
  returnsDeleted: true,
  prepareForCreate(claim, environment) {
    claim.status = { phase: "Pending" };
    dropDataSourceBehindGate(claim.spec, undefined, environment);
  },
  prepareForUpdate(claim, old, environment) {
    dropDataSourceBehindGate(claim.spec, old.spec, environment);
  },
  validate: (claim) => validateClaimSpec(claim.spec ?? {}, "spec"),
  validateUpdate: validateClaimUpdate,
  columns: (column) => [
    nameColumn,
    column("Status", (claim) => (claim.metadata.deletionTimestamp ? "Terminating" : (claim.status?.phase ?? ""))),
    column("Volume", ({ spec }) => spec?.volumeName ?? ""),
    column("Capacity", (claim) => (claim.spec?.volumeName ? (claim.status?.capacity?.["storage"] ?? "0") : "")),
    column("Access Modes", (claim) => (claim.spec?.volumeName ? accessModesText(claim.status?.accessModes) : "")),
    column("StorageClass", storageClassOf),
    ageColumn,
    column("VolumeMode", ({ spec }) => spec?.volumeMode ?? "<unset>", { priority: 1 }),
  ],
  subresources: [status({ validate: validateClaimStatus })],
});
export type PersistentVolumeClaim = Static<typeof PersistentVolumeClaim>;

/** A claim within another object (a stateful set's templates), which prints its kind. */
export const PersistentVolumeClaimObject = struct(
  "core.v1.PersistentVolumeClaim",
  {
    kind: elided(string()),
    apiVersion: elided(string()),
    metadata: elided(ObjectMetaStruct).at(1),
    spec: elided(PersistentVolumeClaimSpec).at(2),
    status: elided(PersistentVolumeClaimStatus).at(3),
  },
  {
    defaults(claim) {
      // Whatever a client says it is.
      claim.kind = "PersistentVolumeClaim";
      claim.apiVersion = "v1";
    },
  },
);
