/** The spec of a claim; also used by ephemeral volumes of pods. */

import { elided, list, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { LabelSelector } from "../../../meta/label-selector.ts";
import { ResourceRequirements } from "../pod/container.ts";
import { TypedLocalObjectReference } from "../references.ts";

export const PersistentVolumeClaimSpec = struct("core.v1.PersistentVolumeClaimSpec", {
  accessModes: elided(list(string()))
    .at(1)
    .doc("How the volume must be mountable: ReadWriteOnce, ReadOnlyMany or ReadWriteMany."),
  resources: elided(ResourceRequirements)
    .at(2)
    .doc("The least amount of storage that is needed; it can be raised later if the storage class allows it."),
  volumeName: elided(string()).at(3).doc("The volume that is bound to the claim."),
  selector: optional(LabelSelector).at(4).doc("Labels of the volumes that may be bound."),
  storageClassName: optional(string()).at(5).doc("The storage class. Absent: the default class; empty: none."),
  volumeMode: optional(string()).at(6).default("Filesystem").doc("Filesystem or Block. Default: Filesystem."),
  dataSource: optional(TypedLocalObjectReference)
    .at(7)
    .doc("A snapshot or another claim that the new volume is filled from."),
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
