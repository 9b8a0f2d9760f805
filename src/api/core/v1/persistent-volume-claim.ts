/** A PersistentVolumeClaim requests storage and is bound to a matching volume. */

import { elided, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ObjectMetaStruct } from "../../../machinery/schema/object-meta.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { isElsewhere, PersistentVolumeClaimSpec, prepareDataSources } from "./volume/persistent-volume-claim-spec.ts";
import { PersistentVolumeClaimStatus } from "./volume/persistent-volume-claim-status.ts";
import { accessModesText, storageClassOf } from "./volume/storage-columns.ts";
import { validateClaimStatus, validateClaimUpdate } from "./volume/validate-claim.ts";
import { claimRelations } from "./volume/validate-claim-spec.ts";
import { claimWarnings } from "./volume/warnings.ts";

export const PersistentVolumeClaim = kind({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  scope: "Namespaced",
  shortNames: ["pvc"],
  doc: "A PersistentVolumeClaim requests storage and is bound to a matching volume.",
  fields: {
    // Only in claims, not in the templates of claims.
    spec: elided(PersistentVolumeClaimSpec)
      .at(2)
      .behind("VolumeAttributesClass", { member: "volumeAttributesClassName" })
      // Without its namespace it would be another source, so it goes whole.
      .behind("CrossNamespaceVolumeDataSource", { member: "dataSourceRef", uses: isElsewhere, becomes: undefined })
      .doc("The desired state of the persistent volume claim, set by its users."),
    status: elided(PersistentVolumeClaimStatus)
      .at(3)
      .behind("VolumeAttributesClass", { member: "currentVolumeAttributesClassName" })
      .behind("VolumeAttributesClass", { member: "modifyVolumeStatus" })
      .doc("The most recently observed state of the persistent volume claim, written by the system."),
  },
  returnsDeleted: true,
  prepareForCreate(claim, environment) {
    claim.status = { phase: "Pending" };
    prepareDataSources(claim.spec, undefined, environment);
  },
  prepareForUpdate(claim, old, environment) {
    prepareDataSources(claim.spec, old.spec, environment);
  },
  relations: claimRelations,
  validateUpdate: validateClaimUpdate,
  warnings: claimWarnings,
  columns: (column) => [
    nameColumn,
    column("Status", (claim) => (claim.metadata.deletionTimestamp ? "Terminating" : (claim.status?.phase ?? ""))),
    column("Volume", ({ spec }) => spec?.volumeName ?? ""),
    column("Capacity", (claim) => (claim.spec?.volumeName ? (claim.status?.capacity?.["storage"] ?? "0") : "")),
    column("Access Modes", (claim) => (claim.spec?.volumeName ? accessModesText(claim.status?.accessModes) : "")),
    column("StorageClass", storageClassOf),
    column("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>", { since: "1.29" }),
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
    kind: elided(string()).doc("The kind of the object: PersistentVolumeClaim."),
    apiVersion: elided(string()).doc("The API version of the object: v1."),
    metadata: elided(ObjectMetaStruct)
      .at(1)
      .doc("Standard object's metadata: name, namespace, labels, annotations, owners."),
    spec: elided(PersistentVolumeClaimSpec)
      .at(2)
      .doc("The storage that the claim requests. Cannot be changed, except that a bound claim may request more."),
    status: elided(PersistentVolumeClaimStatus).at(3).doc("The volume that the claim got; written by the system."),
  },
  {
    defaults(claim) {
      // Whatever a client sent.
      claim.kind = "PersistentVolumeClaim";
      claim.apiVersion = "v1";
    },
  },
);
