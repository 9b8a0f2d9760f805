/** The spec of a claim; also used by ephemeral volumes of pods. */

import { validateLabelSelector } from "../../../../machinery/meta/label-selector.ts";
import { elided, list, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { type FieldErrors, invalid, required } from "../../../../machinery/status/field-error.ts";
import { resourceList } from "../../../common-fields.ts";
import { LabelSelector } from "../../../meta/label-selector.ts";
import { TypedLocalObjectReference, TypedObjectReference } from "../references.ts";

export const accessModes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"];
export const volumeModes = ["Block", "Filesystem"];

/** Paths are those of v1.21, which names the source where it means its kind. */
function validateDataSource({ apiGroup, kind, name }: TypedLocalObjectReference, path: string): FieldErrors {
  const empty = Object.entries({ name, kind }).flatMap(([field, text]) =>
    text === "" ? [required(`${path}.${field}`)] : [],
  );
  if (apiGroup || kind === "PersistentVolumeClaim") return empty;
  return [...empty, invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")];
}

/** Amounts of storage; until 1.29 it was the struct of containers. */
export const VolumeResourceRequirements = struct(
  "core.v1.ResourceRequirements",
  {
    limits: elided(resourceList()).at(1).doc("The most that may be used, by resource."),
    requests: elided(resourceList()).at(2).doc("The least that is needed, by resource. Default: the same as limits."),
  },
  { from: { "1.29": { name: "core.v1.VolumeResourceRequirements" } } },
);
export type VolumeResourceRequirements = Static<typeof VolumeResourceRequirements>;

export const PersistentVolumeClaimSpec = struct("core.v1.PersistentVolumeClaimSpec", {
  accessModes: elided(list(string().oneOf(accessModes).reported("")))
    .at(1)
    .required("at least 1 access mode is required")
    .doc("How the volume must be mountable: ReadWriteOnce, ReadOnlyMany or ReadWriteMany."),
  resources: elided(VolumeResourceRequirements)
    .at(2)
    .doc("The least amount of storage that is needed; it can be raised later if the storage class allows it."),
  volumeName: elided(string()).at(3).doc("The volume that is bound to the claim."),
  selector: optional(LabelSelector)
    .at(4)
    .checked(validateLabelSelector)
    .doc("Labels of the volumes that may be bound."),
  storageClassName: optional(string())
    .at(5)
    .named("subdomain")
    .orEmpty()
    .doc("The storage class. Absent: the default class; empty: none."),
  volumeMode: optional(string())
    .at(6)
    .oneOf(volumeModes)
    .default("Filesystem")
    .doc("Filesystem or Block. Default: Filesystem."),
  dataSource: optional(TypedLocalObjectReference)
    .at(7)
    .checked(validateDataSource)
    .doc("A snapshot or another claim that the new volume is filled from."),
  dataSourceRef: optional(TypedObjectReference)
    .at(8)
    .since("1.22")
    .doc("The object that the new volume is filled from, of any kind; the same as dataSource where both can name it."),
  volumeAttributesClassName: optional(string())
    .at(9)
    .since("1.29")
    .doc("The VolumeAttributesClass of the volume; it can be changed."),
});
export type PersistentVolumeClaimSpec = Static<typeof PersistentVolumeClaimSpec>;

/** Volumes are filled from other claims and from snapshots; anything else only behind a gate, or where it is already. */
export function dropDataSourceBehindGate(
  spec: PersistentVolumeClaimSpec | undefined,
  old: PersistentVolumeClaimSpec | undefined,
  { gates, vocabulary }: Environment,
): void {
  const source = spec?.dataSource;
  if (spec === undefined || source === undefined) return;
  if (old?.dataSource !== undefined || gates.enabled("AnyVolumeDataSource")) return;
  const group = source.apiGroup ?? "";
  const isClaim = source.kind === "PersistentVolumeClaim" && group === "";
  const isSnapshot = source.kind === "VolumeSnapshot" && group === vocabulary.group("snapshot.storage.orch.io");
  if (!isClaim && !isSnapshot) delete spec.dataSource;
}
