/** Volumes of simulated nodes: what a provisioner of a test cluster would make, without a disk behind them. */

import type { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import type { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

/** Our own name, so it is the same in every vocabulary. */
export const provisioner = "simulation.orch.io/volumes";

/** As clusters for one person call it. */
export const defaultClassName = "standard";

/** Claims are bound at once, with or without a pod. */
export const defaultClass = (vocabulary: Vocabulary): StorageClass => ({
  metadata: {
    name: defaultClassName,
    annotations: { [vocabulary.word("storageclass.orch.io/is-default-class")]: "true" },
  },
  provisioner,
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
  allowVolumeExpansion: false,
});

/** The volume of a claim that has none; undefined: none is to be made, or not yet. */
export function volumeFor(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  vocabulary: Vocabulary,
): PersistentVolume | undefined {
  const { metadata, spec } = claim;
  if (storageClass?.provisioner !== provisioner || metadata.deletionTimestamp != null) return undefined;
  // A selector is about volumes that exist.
  if ((spec?.volumeName ?? "") !== "" || spec?.selector !== undefined) return undefined;
  const isChosen = metadata.annotations?.[vocabulary.word("volume.orch.io/selected-node")] !== undefined;
  if (storageClass.volumeBindingMode === "WaitForFirstConsumer" && !isChosen) return undefined;
  const { uid = "", name = "", namespace = "", resourceVersion = "" } = metadata;
  const volumeName = `pvc-${uid}`;
  return {
    metadata: { name: volumeName, annotations: { [vocabulary.word("pv.orch.io/provisioned-by")]: provisioner } },
    spec: {
      capacity: { storage: spec?.resources?.requests?.["storage"] ?? "1Gi" },
      accessModes: spec?.accessModes ?? ["ReadWriteOnce"],
      ...(spec?.volumeMode === undefined ? {} : { volumeMode: spec.volumeMode }),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name ?? "",
      hostPath: { path: `/simulated/${volumeName}` },
      claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name, uid, resourceVersion },
    },
  };
}

/** Whether the volume is ours, its claim is gone, and it is to go with it. */
export function isToDelete({ metadata, spec, status }: PersistentVolume, vocabulary: Vocabulary): boolean {
  return (
    metadata.annotations?.[vocabulary.word("pv.orch.io/provisioned-by")] === provisioner &&
    spec?.persistentVolumeReclaimPolicy === "Delete" &&
    status?.phase === "Released" &&
    metadata.deletionTimestamp == null
  );
}
