/** What a persistent volume is; also used by volume attachments. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { resourceList } from "../../resource-list.ts";
import { ObjectReference } from "./references.ts";
import { NodeSelector } from "./scheduling.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFilePersistentVolumeSource,
  CephFSPersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  FCVolumeSource,
  FlexPersistentVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GlusterfsPersistentVolumeSource,
  HostPathVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDPersistentVolumeSource,
  ScaleIOPersistentVolumeSource,
  StorageOSPersistentVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./volume-sources.ts";

export const VolumeNodeAffinity = struct("core.v1.VolumeNodeAffinity", {
  required: optional(NodeSelector).at(1),
});
export type VolumeNodeAffinity = Static<typeof VolumeNodeAffinity>;

export const PersistentVolumeSpec = struct(
  "core.v1.PersistentVolumeSpec",
  {
    capacity: elided(resourceList()).at(1),
    gcePersistentDisk: optional(GCEPersistentDiskVolumeSource).at(1, "persistentVolumeSource"),
    awsElasticBlockStore: optional(AWSElasticBlockStoreVolumeSource).at(2, "persistentVolumeSource"),
    hostPath: optional(HostPathVolumeSource).at(3, "persistentVolumeSource"),
    glusterfs: optional(GlusterfsPersistentVolumeSource).at(4, "persistentVolumeSource"),
    nfs: optional(NFSVolumeSource).at(5, "persistentVolumeSource"),
    rbd: optional(RBDPersistentVolumeSource).at(6, "persistentVolumeSource"),
    iscsi: optional(ISCSIPersistentVolumeSource).at(7, "persistentVolumeSource"),
    cinder: optional(CinderPersistentVolumeSource).at(8, "persistentVolumeSource"),
    cephfs: optional(CephFSPersistentVolumeSource).at(9, "persistentVolumeSource"),
    fc: optional(FCVolumeSource).at(10, "persistentVolumeSource"),
    flocker: optional(FlockerVolumeSource).at(11, "persistentVolumeSource"),
    flexVolume: optional(FlexPersistentVolumeSource).at(12, "persistentVolumeSource"),
    azureFile: optional(AzureFilePersistentVolumeSource).at(13, "persistentVolumeSource"),
    vsphereVolume: optional(VsphereVirtualDiskVolumeSource).at(14, "persistentVolumeSource"),
    quobyte: optional(QuobyteVolumeSource).at(15, "persistentVolumeSource"),
    azureDisk: optional(AzureDiskVolumeSource).at(16, "persistentVolumeSource"),
    photonPersistentDisk: optional(PhotonPersistentDiskVolumeSource).at(17, "persistentVolumeSource"),
    portworxVolume: optional(PortworxVolumeSource).at(18, "persistentVolumeSource"),
    scaleIO: optional(ScaleIOPersistentVolumeSource).at(19, "persistentVolumeSource"),
    local: optional(LocalVolumeSource).at(20, "persistentVolumeSource"),
    storageos: optional(StorageOSPersistentVolumeSource).at(21, "persistentVolumeSource"),
    csi: optional(CSIPersistentVolumeSource).at(22, "persistentVolumeSource"),
    accessModes: elided(list(string())).at(3),
    claimRef: optional(ObjectReference).at(4),
    persistentVolumeReclaimPolicy: elided(string())
      .at(5)
      .doc("What happens to the storage when its claim is gone: Retain, Delete or Recycle."),
    storageClassName: elided(string()).at(6),
    mountOptions: elided(list(string())).at(7),
    volumeMode: optional(string()).at(8),
    nodeAffinity: optional(VolumeNodeAffinity).at(9),
  },
  { inline: { persistentVolumeSource: 2 } },
);
export type PersistentVolumeSpec = Static<typeof PersistentVolumeSpec>;
