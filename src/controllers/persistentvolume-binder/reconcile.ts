/** The fields of a bound volume and claim, and what happens to a volume without its claim. */

import type { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

export interface BindNames {
  readonly boundByController: string;
  readonly bindCompleted: string;
  readonly provisioner: string;
  readonly selectedNode: string;
  readonly provisionedBy: string;
}

export function bindNames(vocabulary: Vocabulary): BindNames {
  return {
    boundByController: vocabulary.word("pv.orch.io/bound-by-controller"),
    bindCompleted: vocabulary.word("pv.orch.io/bind-completed"),
    provisioner: vocabulary.word("volume.beta.orch.io/storage-provisioner"),
    selectedNode: vocabulary.word("volume.orch.io/selected-node"),
    provisionedBy: vocabulary.word("pv.orch.io/provisioned-by"),
  };
}

/** The volume as it refers to its claim; the same value where it does already. */
export function boundVolume(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  names: BindNames,
): PersistentVolume {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const known = volume.spec?.claimRef;
  if (known?.uid === uid && known?.name === name && known?.namespace === namespace) return volume;
  const claimRef = {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    ...defined({ namespace, name, uid, resourceVersion }),
  };
  // An annotation records who chose: this controller may unbind what it bound itself.
  const metadata = known === undefined ? annotated(volume.metadata, names.boundByController) : volume.metadata;
  return { ...volume, metadata, spec: { ...volume.spec, claimRef } };
}

/** The claim as it refers to its volume; the same value where it does already. */
export function boundClaim(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  names: BindNames,
): PersistentVolumeClaim {
  const volumeName = volume.metadata.name ?? "";
  const isNamed = claim.spec?.volumeName === volumeName;
  if (isNamed && claim.metadata.annotations?.[names.bindCompleted] !== undefined) return claim;
  const chosen = isNamed ? claim.metadata : annotated(claim.metadata, names.boundByController);
  return { ...claim, metadata: annotated(chosen, names.bindCompleted), spec: { ...claim.spec, volumeName } };
}

/** The status of a bound claim; undefined: nothing changes. */
export function boundClaimStatus(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): NonNullable<PersistentVolumeClaim["status"]> | undefined {
  const { status = {} } = claim;
  const accessModes = volume.spec?.accessModes ?? [];
  const isFirst = status.phase !== "Bound";
  // During an expansion the claim has the current size; only a new binding copies the size of the volume.
  const capacity = isFirst || status.capacity === undefined ? volume.spec?.capacity : status.capacity;
  const next = { ...status, phase: "Bound" as const, accessModes, ...(capacity === undefined ? {} : { capacity }) };
  return sameJson(next, status) ? undefined : next;
}

function annotated<M extends { annotations?: Record<string, string> }>(metadata: M, name: string): M {
  return { ...metadata, annotations: { ...metadata.annotations, [name]: "yes" } };
}

function defined<T extends Record<string, string | undefined>>(values: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string;
  };
}

type Reclaim =
  /** Kept, or deleted by its provisioner. */
  { readonly phase: "Released" } | { readonly phase: "Failed"; readonly reason: string; readonly message: string };

/** What happens to a volume whose claim is gone. */
export function reclaim({ spec, metadata }: PersistentVolume, names: BindNames, builtInPrefix: string): Reclaim {
  switch (spec?.persistentVolumeReclaimPolicy) {
    case "Delete": {
      const by = metadata.annotations?.[names.provisionedBy];
      if (by !== undefined && !by.startsWith(builtInPrefix)) return { phase: "Released" };
      return {
        phase: "Failed",
        reason: "VolumeFailedDelete",
        message: "there is no plugin here that deletes the volume",
      };
    }
    case "Recycle":
      return {
        phase: "Failed",
        reason: "VolumeFailedRecycle",
        message: "there is no plugin here that recycles the volume",
      };
    default:
      return { phase: "Released" };
  }
}
