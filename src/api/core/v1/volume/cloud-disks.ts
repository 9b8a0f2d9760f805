/** Disks of cloud providers and hypervisors as sources of volumes. */

import { bool, elided, int32, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";
import { LocalObjectReference, SecretReference } from "../references.ts";
import { hasName, hasNameAndNamespace } from "./source-rules.ts";

export const AWSElasticBlockStoreVolumeSource = struct("core.v1.AWSElasticBlockStoreVolumeSource", {
  volumeID: string().at(1).required().doc("The id of the volume in Amazon EBS. Required."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  partition: elided(int32()).at(3).atLeast(0).atMost(255).doc("The partition to mount; 0 or absent is the whole disk."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
});
export type AWSElasticBlockStoreVolumeSource = Static<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = struct("core.v1.AzureDiskVolumeSource", {
  diskName: string().at(1).required().doc("The name of the data disk in Azure. Required."),
  diskURI: string().at(2).required().doc("The URI of the data disk in Azure. Required."),
  cachingMode: optional(string())
    .at(3)
    .oneOf(["None", "ReadOnly", "ReadWrite"])
    .openApiDefault("ReadWrite", "1.31")
    .doc("Host caching: None, ReadOnly or ReadWrite. Default: ReadWrite."),
  fsType: optional(string())
    .at(4)
    .openApiDefault("ext4", "1.31")
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: optional(bool()).at(5).default(false).doc("Whether the volume is mounted read-only. Default: false."),
  kind: optional(string())
    .at(6)
    .oneOf(["Shared", "Dedicated", "Managed"])
    .openApiDefault("Shared", "1.31")
    .doc("Shared, Dedicated or Managed. Default: Shared."),
});
export type AzureDiskVolumeSource = Static<typeof AzureDiskVolumeSource>;

export const CinderPersistentVolumeSource = struct("core.v1.CinderPersistentVolumeSource", {
  volumeID: string().at(1).required().doc("The id of the volume in Cinder. Required."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  secretRef: optional(SecretReference)
    .at(4)
    .checked(hasNameAndNamespace)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
});
export type CinderPersistentVolumeSource = Static<typeof CinderPersistentVolumeSource>;

export const CinderVolumeSource = struct("core.v1.CinderVolumeSource", {
  volumeID: string().at(1).required().doc("The id of the volume in Cinder. Required."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  secretRef: optional(LocalObjectReference)
    .at(4)
    .checked(hasName)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
});
export type CinderVolumeSource = Static<typeof CinderVolumeSource>;

export const GCEPersistentDiskVolumeSource = struct("core.v1.GCEPersistentDiskVolumeSource", {
  pdName: string().at(1).required().doc("The name of the disk in Compute Engine. Required."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  partition: elided(int32()).at(3).atLeast(0).atMost(255).doc("The partition to mount; 0 or absent is the whole disk."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
});
export type GCEPersistentDiskVolumeSource = Static<typeof GCEPersistentDiskVolumeSource>;

export const PhotonPersistentDiskVolumeSource = struct("core.v1.PhotonPersistentDiskVolumeSource", {
  pdID: string().at(1).required().doc("The id of the disk in Photon Controller. Required."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
});
export type PhotonPersistentDiskVolumeSource = Static<typeof PhotonPersistentDiskVolumeSource>;

export const VsphereVirtualDiskVolumeSource = struct("core.v1.VsphereVirtualDiskVolumeSource", {
  volumePath: string().at(1).required().doc("The path of the virtual disk in its datastore. Required."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  storagePolicyName: elided(string()).at(3).doc("The name of the storage policy profile."),
  storagePolicyID: elided(string()).at(4).doc("The id of the storage policy profile."),
});
export type VsphereVirtualDiskVolumeSource = Static<typeof VsphereVirtualDiskVolumeSource>;
