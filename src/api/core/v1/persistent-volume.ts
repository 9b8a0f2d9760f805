/** A PersistentVolume is a piece of storage in the cluster. */

import { elided, oneWord, optional, type Static, string, struct, time } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { timeText } from "../../../machinery/values/time.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { PersistentVolumeSpec } from "./volume/persistent-volume-spec.ts";
import { accessModesText, storageClassOf } from "./volume/storage-columns.ts";
import { validateVolume, validateVolumeUpdate, volumeRelations } from "./volume/validate-persistent-volume.ts";
import { volumeWarnings } from "./volume/warnings.ts";

export const PersistentVolumeStatus = struct("core.v1.PersistentVolumeStatus", {
  phase: elided(oneWord(["Available", "Bound", "Failed", "Pending", "Released"]))
    .at(1)
    .default("Pending")
    .doc("Pending, Available, Bound, Released or Failed."),
  message: elided(string()).at(2).doc("A message for people about the phase."),
  reason: elided(string()).at(3).doc("One word that says why the volume failed."),
  lastPhaseTransitionTime: optional(time())
    .at(4)
    .since("1.28")
    .behind("PersistentVolumeLastPhaseTransitionTime")
    .doc("When the phase last changed."),
});
export type PersistentVolumeStatus = Static<typeof PersistentVolumeStatus>;

export const PersistentVolume = kind({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  resource: "persistentvolumes",
  scope: "Cluster",
  shortNames: ["pv"],
  doc: "A PersistentVolume is a piece of storage in the cluster.",
  fields: {
    spec: elided(PersistentVolumeSpec).at(2).doc("The desired state of the persistent volume, set by its users."),
    status: elided(PersistentVolumeStatus)
      .at(3)
      .doc("The most recently observed state of the persistent volume, written by the system."),
  },
  // Not for the spec itself: volume attachments contain specs too, which stay unchanged.
  defaults(volume) {
    volume.spec ??= {};
    volume.spec.persistentVolumeReclaimPolicy ||= "Retain";
    volume.spec.volumeMode ??= "Filesystem";
  },
  returnsDeleted: true,
  from: { "1.24": { compat: { keepsStatusOnCreate: true } }, "1.25": { compat: {} } },
  prepareForCreate(volume, environment) {
    if (has(environment, "givenVolumeStatus"))
      volume.status = { ...volume.status, phase: volume.status?.phase || "Pending" };
    else volume.status = { phase: "Pending", ...transition(environment) };
  },
  warnings: volumeWarnings,
  relations: volumeRelations,
  validate: validateVolume,
  validateUpdate: validateVolumeUpdate,
  columns: (column) => [
    nameColumn,
    column("Capacity", ({ spec }) => spec?.capacity?.["storage"] ?? "0"),
    column("Access Modes", ({ spec }) => accessModesText(spec?.accessModes)),
    column("Reclaim Policy", ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ""),
    column("Status", (volume) => (volume.metadata.deletionTimestamp ? "Terminating" : (volume.status?.phase ?? ""))),
    column("Claim", ({ spec }) =>
      spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : "",
    ),
    column("StorageClass", storageClassOf),
    column("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>", { since: "1.29" }),
    column("Reason", (volume) => volume.status?.reason ?? ""),
    ageColumn,
    column("VolumeMode", ({ spec }) => spec?.volumeMode ?? "<unset>", { priority: 1 }),
  ],
  subresources: [
    { ...status(), until: "1.28" },
    { ...status({ merge: mergeStatus, ownsGiven: true }), since: "1.28" },
  ],
});
export type PersistentVolume = Static<typeof PersistentVolume>;

interface VolumeParts {
  metadata: ObjectMeta;
  spec?: PersistentVolumeSpec;
  status?: PersistentVolumeStatus;
}

const transition = (environment: Environment): Pick<PersistentVolumeStatus, "lastPhaseTransitionTime"> =>
  environment.gates.enabled("PersistentVolumeLastPhaseTransitionTime")
    ? { lastPhaseTransitionTime: timeText(environment.clock.now()) }
    : {};

/** A change of the phase is noted with its time, unless the writer gives another. */
function mergeStatus(written: unknown, parent: VolumeParts, environment: Environment): VolumeParts {
  // The registry has decoded the body as a volume.
  const { metadata, status = {} } = written as VolumeParts;
  const before = parent.status?.lastPhaseTransitionTime;
  const isNoted = status.lastPhaseTransitionTime !== undefined && status.lastPhaseTransitionTime !== before;
  const kept = before === undefined ? {} : { lastPhaseTransitionTime: before };
  const noted = status.phase === parent.status?.phase ? kept : transition(environment);
  return { ...parent, metadata, status: { ...status, ...(isNoted ? {} : noted) } };
}
