/** The storage systems volumes come from. */

import type { Static } from "../../../../machinery/schema/build.ts";
import {
  bool,
  elided,
  int32,
  list,
  map,
  nullable,
  optional,
  string,
  struct,
} from "../../../../machinery/schema/build.ts";
import { LocalObjectReference, ObjectReference, SecretReference } from "../references.ts";

export const AWSElasticBlockStoreVolumeSource = struct("core.v1.AWSElasticBlockStoreVolumeSource", {
  volumeID: string().at(1).doc("The id of the EBS volume."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  partition: elided(int32()).at(3).doc("The partition to mount; 0 or absent is the whole disk."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
});
export type AWSElasticBlockStoreVolumeSource = Static<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = struct("core.v1.AzureDiskVolumeSource", {
  diskName: string().at(1).doc("The name of the data disk."),
  diskURI: string().at(2).doc("The URI of the data disk."),
  cachingMode: optional(string())
    .at(3)
    .default("ReadWrite")
    .doc("Host caching: None, ReadOnly or ReadWrite. Default: ReadWrite."),
  fsType: optional(string())
    .at(4)
    .default("ext4")
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: optional(bool()).at(5).default(false).doc("Whether the volume is mounted read-only. Default: false."),
  kind: optional(string()).at(6).default("Shared").doc("Shared, Dedicated or Managed. Default: Shared."),
});
export type AzureDiskVolumeSource = Static<typeof AzureDiskVolumeSource>;

export const AzureFilePersistentVolumeSource = struct("core.v1.AzureFilePersistentVolumeSource", {
  secretName: string().at(1).doc("The secret with the name and key of the storage account."),
  shareName: string().at(2).doc("The name of the share."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  secretNamespace: optional(string()).at(4).doc("The namespace of the secret. Absent: that of the pod."),
});
export type AzureFilePersistentVolumeSource = Static<typeof AzureFilePersistentVolumeSource>;

export const AzureFileVolumeSource = struct("core.v1.AzureFileVolumeSource", {
  secretName: string().at(1).doc("The secret with the name and key of the storage account."),
  shareName: string().at(2).doc("The name of the share."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
});
export type AzureFileVolumeSource = Static<typeof AzureFileVolumeSource>;

export const CSIPersistentVolumeSource = struct("core.v1.CSIPersistentVolumeSource", {
  driver: string().at(1).doc("The name of the CSI driver."),
  volumeHandle: string().at(2).doc("The name of the volume in the driver; it never changes."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  fsType: elided(string())
    .at(4)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  volumeAttributes: elided(map(string())).at(5).doc("Attributes of the volume, passed to the driver."),
  controllerPublishSecretRef: optional(SecretReference)
    .at(6)
    .doc("The secret passed to the driver when the volume is attached or detached."),
  nodeStageSecretRef: optional(SecretReference)
    .at(7)
    .doc("The secret passed to the driver when the volume is staged on a node."),
  nodePublishSecretRef: optional(SecretReference)
    .at(8)
    .doc("The secret passed to the driver when the volume is mounted for a pod."),
  controllerExpandSecretRef: optional(SecretReference)
    .at(9)
    .doc("The secret passed to the driver when the volume is expanded."),
});
export type CSIPersistentVolumeSource = Static<typeof CSIPersistentVolumeSource>;

export const CSIVolumeSource = struct("core.v1.CSIVolumeSource", {
  driver: string().at(1).doc("The name of the CSI driver."),
  readOnly: optional(bool()).at(2).doc("Whether the volume is mounted read-only. Default: false."),
  fsType: optional(string()).at(3).doc("The file system to mount. Absent: the driver decides."),
  volumeAttributes: elided(map(string())).at(4).doc("Attributes of the volume, passed to the driver."),
  nodePublishSecretRef: optional(LocalObjectReference)
    .at(5)
    .doc("The secret, in the namespace of the pod, passed to the driver when the volume is mounted."),
});
export type CSIVolumeSource = Static<typeof CSIVolumeSource>;

export const CephFSPersistentVolumeSource = struct("core.v1.CephFSPersistentVolumeSource", {
  monitors: list(string()).at(1).doc("Addresses of the Ceph monitors; required."),
  path: elided(string()).at(2).doc("The directory to mount. Absent: /."),
  user: elided(string()).at(3).doc("The user to mount as. Absent: admin."),
  secretFile: elided(string()).at(4).doc("The path of the key ring on the node. Absent: /etc/ceph/user.secret."),
  secretRef: optional(SecretReference)
    .at(5)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(6).doc("Whether the volume is mounted read-only. Default: false."),
});
export type CephFSPersistentVolumeSource = Static<typeof CephFSPersistentVolumeSource>;

export const CephFSVolumeSource = struct("core.v1.CephFSVolumeSource", {
  monitors: list(string()).at(1).doc("Addresses of the Ceph monitors; required."),
  path: elided(string()).at(2).doc("The directory to mount. Absent: /."),
  user: elided(string()).at(3).doc("The user to mount as. Absent: admin."),
  secretFile: elided(string()).at(4).doc("The path of the key ring on the node. Absent: /etc/ceph/user.secret."),
  secretRef: optional(LocalObjectReference)
    .at(5)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(6).doc("Whether the volume is mounted read-only. Default: false."),
});
export type CephFSVolumeSource = Static<typeof CephFSVolumeSource>;

export const CinderPersistentVolumeSource = struct("core.v1.CinderPersistentVolumeSource", {
  volumeID: string().at(1).doc("The id of the volume."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  secretRef: optional(SecretReference)
    .at(4)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
});
export type CinderPersistentVolumeSource = Static<typeof CinderPersistentVolumeSource>;

export const CinderVolumeSource = struct("core.v1.CinderVolumeSource", {
  volumeID: string().at(1).doc("The id of the volume."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  secretRef: optional(LocalObjectReference)
    .at(4)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
});
export type CinderVolumeSource = Static<typeof CinderVolumeSource>;

export const FCVolumeSource = struct("core.v1.FCVolumeSource", {
  targetWWNs: elided(list(string())).at(1).doc("World wide names of the targets."),
  lun: optional(int32()).at(2).doc("The LUN of the target."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  wwids: elided(list(string()))
    .at(5)
    .doc("World wide ids of the volume; either these or targetWWNs and lun must be set."),
});
export type FCVolumeSource = Static<typeof FCVolumeSource>;

export const FlexPersistentVolumeSource = struct("core.v1.FlexPersistentVolumeSource", {
  driver: string().at(1).doc("The name of the driver."),
  fsType: elided(string()).at(2).doc("The file system to mount. Absent: the driver decides."),
  secretRef: optional(SecretReference)
    .at(3)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  options: elided(map(string())).at(5).doc("Options passed to the driver."),
});
export type FlexPersistentVolumeSource = Static<typeof FlexPersistentVolumeSource>;

export const FlexVolumeSource = struct("core.v1.FlexVolumeSource", {
  driver: string().at(1).doc("The name of the driver."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  secretRef: optional(LocalObjectReference)
    .at(3)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  options: elided(map(string())).at(5).doc("Options passed to the driver."),
});
export type FlexVolumeSource = Static<typeof FlexVolumeSource>;

export const FlockerVolumeSource = struct("core.v1.FlockerVolumeSource", {
  datasetName: elided(string()).at(1).doc("The name of the dataset; deprecated."),
  datasetUUID: elided(string()).at(2).doc("The UUID of the dataset."),
});
export type FlockerVolumeSource = Static<typeof FlockerVolumeSource>;

export const GCEPersistentDiskVolumeSource = struct("core.v1.GCEPersistentDiskVolumeSource", {
  pdName: string().at(1).doc("The name of the disk."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  partition: elided(int32()).at(3).doc("The partition to mount; 0 or absent is the whole disk."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
});
export type GCEPersistentDiskVolumeSource = Static<typeof GCEPersistentDiskVolumeSource>;

export const GlusterfsPersistentVolumeSource = struct("core.v1.GlusterfsPersistentVolumeSource", {
  endpoints: string().at(1).doc("The Endpoints object that lists the Gluster servers."),
  path: string().at(2).doc("The name of the Gluster volume."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  endpointsNamespace: optional(string()).at(4).doc("The namespace of the Endpoints object. Absent: that of the claim."),
});
export type GlusterfsPersistentVolumeSource = Static<typeof GlusterfsPersistentVolumeSource>;

export const GlusterfsVolumeSource = struct("core.v1.GlusterfsVolumeSource", {
  endpoints: string().at(1).doc("The Endpoints object that lists the Gluster servers."),
  path: string().at(2).doc("The name of the Gluster volume."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
});
export type GlusterfsVolumeSource = Static<typeof GlusterfsVolumeSource>;

export const HostPathVolumeSource = struct("core.v1.HostPathVolumeSource", {
  path: string().at(1).doc("The path on the node."),
  type: optional(string())
    .at(2)
    .default("")
    .doc(
      "What must be at the path: DirectoryOrCreate, Directory, FileOrCreate, File, Socket, CharDevice or BlockDevice. Default: empty, which checks nothing.",
    ),
});
export type HostPathVolumeSource = Static<typeof HostPathVolumeSource>;

export const ISCSIPersistentVolumeSource = struct("core.v1.ISCSIPersistentVolumeSource", {
  targetPortal: string().at(1).doc("The portal of the target, as IP or IP:PORT (default port 3260)."),
  iqn: string().at(2).doc("The qualified name of the target."),
  lun: int32().at(3).doc("The number of the LUN."),
  iscsiInterface: elided(string()).at(4).default("default").doc("The iSCSI interface to use. Default: default."),
  fsType: elided(string())
    .at(5)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(6).doc("Whether the volume is mounted read-only. Default: false."),
  portals: elided(list(string())).at(7).doc("Further portals of the target, as IP or IP:PORT."),
  chapAuthDiscovery: elided(bool()).at(8).doc("Whether discovery authenticates with CHAP. Default: false."),
  secretRef: optional(SecretReference)
    .at(10)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  chapAuthSession: elided(bool()).at(11).doc("Whether sessions authenticate with CHAP. Default: false."),
  initiatorName: optional(string()).at(12).doc("The name of the initiator. Absent: that of the node."),
});
export type ISCSIPersistentVolumeSource = Static<typeof ISCSIPersistentVolumeSource>;

export const ISCSIVolumeSource = struct("core.v1.ISCSIVolumeSource", {
  targetPortal: string().at(1).doc("The portal of the target, as IP or IP:PORT (default port 3260)."),
  iqn: string().at(2).doc("The qualified name of the target."),
  lun: int32().at(3).doc("The number of the LUN."),
  iscsiInterface: elided(string()).at(4).default("default").doc("The iSCSI interface to use. Default: default."),
  fsType: elided(string())
    .at(5)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(6).doc("Whether the volume is mounted read-only. Default: false."),
  portals: elided(list(string())).at(7).doc("Further portals of the target, as IP or IP:PORT."),
  chapAuthDiscovery: elided(bool()).at(8).doc("Whether discovery authenticates with CHAP. Default: false."),
  secretRef: optional(LocalObjectReference)
    .at(10)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  chapAuthSession: elided(bool()).at(11).doc("Whether sessions authenticate with CHAP. Default: false."),
  initiatorName: optional(string()).at(12).doc("The name of the initiator. Absent: that of the node."),
});
export type ISCSIVolumeSource = Static<typeof ISCSIVolumeSource>;

export const LocalVolumeSource = struct("core.v1.LocalVolumeSource", {
  path: string().at(1).doc("The path of the volume on the node: a directory or a block device."),
  fsType: optional(string())
    .at(2)
    .doc("The file system to mount if path is a block device. Absent: chosen by the node."),
});
export type LocalVolumeSource = Static<typeof LocalVolumeSource>;

export const NFSVolumeSource = struct("core.v1.NFSVolumeSource", {
  server: string().at(1).doc("The host name or IP address of the NFS server."),
  path: string().at(2).doc("The path that the server exports."),
  readOnly: elided(bool()).at(3).doc("Whether the export is mounted read-only. Default: false."),
});
export type NFSVolumeSource = Static<typeof NFSVolumeSource>;

export const PhotonPersistentDiskVolumeSource = struct("core.v1.PhotonPersistentDiskVolumeSource", {
  pdID: string().at(1).doc("The id of the disk."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
});
export type PhotonPersistentDiskVolumeSource = Static<typeof PhotonPersistentDiskVolumeSource>;

export const PortworxVolumeSource = struct("core.v1.PortworxVolumeSource", {
  volumeID: string().at(1).doc("The id of the volume."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
});
export type PortworxVolumeSource = Static<typeof PortworxVolumeSource>;

export const QuobyteVolumeSource = struct("core.v1.QuobyteVolumeSource", {
  registry: string().at(1).doc("Quobyte registries, as HOST:PORT separated by commas."),
  volume: string().at(2).doc("The name of the volume."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  user: elided(string()).at(4).doc("The user to mount as. Absent: that of the service account."),
  group: elided(string()).at(5).doc("The group to mount as. Absent: none."),
  tenant: elided(string()).at(6).doc("The tenant of the volume."),
});
export type QuobyteVolumeSource = Static<typeof QuobyteVolumeSource>;

export const RBDPersistentVolumeSource = struct("core.v1.RBDPersistentVolumeSource", {
  monitors: list(string()).at(1).doc("Addresses of the Ceph monitors; required."),
  image: string().at(2).doc("The name of the image."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  pool: elided(string()).at(4).default("rbd").doc("The name of the pool. Default: rbd."),
  user: elided(string()).at(5).default("admin").doc("The user to mount as. Default: admin."),
  keyring: elided(string())
    .at(6)
    .default("/etc/ceph/keyring")
    .doc("The path of the key ring on the node. Default: /etc/ceph/keyring."),
  secretRef: optional(SecretReference)
    .at(7)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(8).doc("Whether the volume is mounted read-only. Default: false."),
});
export type RBDPersistentVolumeSource = Static<typeof RBDPersistentVolumeSource>;

export const RBDVolumeSource = struct("core.v1.RBDVolumeSource", {
  monitors: list(string()).at(1).doc("Addresses of the Ceph monitors; required."),
  image: string().at(2).doc("The name of the image."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  pool: elided(string()).at(4).default("rbd").doc("The name of the pool. Default: rbd."),
  user: elided(string()).at(5).default("admin").doc("The user to mount as. Default: admin."),
  keyring: elided(string())
    .at(6)
    .default("/etc/ceph/keyring")
    .doc("The path of the key ring on the node. Default: /etc/ceph/keyring."),
  secretRef: optional(LocalObjectReference)
    .at(7)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(8).doc("Whether the volume is mounted read-only. Default: false."),
});
export type RBDVolumeSource = Static<typeof RBDVolumeSource>;

export const ScaleIOPersistentVolumeSource = struct("core.v1.ScaleIOPersistentVolumeSource", {
  gateway: string().at(1).doc("The host of the API gateway."),
  system: string().at(2).doc("The name of the storage system."),
  secretRef: nullable(SecretReference)
    .listed(true)
    .at(3)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  sslEnabled: elided(bool()).at(4).doc("Whether the gateway is reached over TLS. Default: false."),
  protectionDomain: elided(string()).at(5).doc("The name of the protection domain."),
  storagePool: elided(string()).at(6).doc("The storage pool of the protection domain."),
  storageMode: elided(string())
    .at(7)
    .default("ThinProvisioned")
    .doc("ThickProvisioned or ThinProvisioned. Default: ThinProvisioned."),
  volumeName: elided(string()).at(8).doc("The name of the volume."),
  fsType: elided(string())
    .at(9)
    .default("xfs")
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(10).doc("Whether the volume is mounted read-only. Default: false."),
});
export type ScaleIOPersistentVolumeSource = Static<typeof ScaleIOPersistentVolumeSource>;

export const ScaleIOVolumeSource = struct("core.v1.ScaleIOVolumeSource", {
  gateway: string().at(1).doc("The host of the API gateway."),
  system: string().at(2).doc("The name of the storage system."),
  secretRef: nullable(LocalObjectReference)
    .listed(true)
    .at(3)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  sslEnabled: elided(bool()).at(4).doc("Whether the gateway is reached over TLS. Default: false."),
  protectionDomain: elided(string()).at(5).doc("The name of the protection domain."),
  storagePool: elided(string()).at(6).doc("The storage pool of the protection domain."),
  storageMode: elided(string())
    .at(7)
    .default("ThinProvisioned")
    .doc("ThickProvisioned or ThinProvisioned. Default: ThinProvisioned."),
  volumeName: elided(string()).at(8).doc("The name of the volume."),
  fsType: elided(string())
    .at(9)
    .default("xfs")
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(10).doc("Whether the volume is mounted read-only. Default: false."),
});
export type ScaleIOVolumeSource = Static<typeof ScaleIOVolumeSource>;

export const StorageOSPersistentVolumeSource = struct("core.v1.StorageOSPersistentVolumeSource", {
  volumeName: elided(string()).at(1).doc("The name of the volume, unique in its namespace."),
  volumeNamespace: elided(string())
    .at(2)
    .doc("The StorageOS namespace of the volume. Absent: the namespace of the pod."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  secretRef: optional(ObjectReference)
    .at(5)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
});
export type StorageOSPersistentVolumeSource = Static<typeof StorageOSPersistentVolumeSource>;

export const StorageOSVolumeSource = struct("core.v1.StorageOSVolumeSource", {
  volumeName: elided(string()).at(1).doc("The name of the volume, unique in its namespace."),
  volumeNamespace: elided(string())
    .at(2)
    .doc("The StorageOS namespace of the volume. Absent: the namespace of the pod."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  secretRef: optional(LocalObjectReference)
    .at(5)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
});
export type StorageOSVolumeSource = Static<typeof StorageOSVolumeSource>;

export const VsphereVirtualDiskVolumeSource = struct("core.v1.VsphereVirtualDiskVolumeSource", {
  volumePath: string().at(1).doc("The path of the disk."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  storagePolicyName: elided(string()).at(3).doc("The name of the storage policy profile."),
  storagePolicyID: elided(string()).at(4).doc("The id of the storage policy profile."),
});
export type VsphereVirtualDiskVolumeSource = Static<typeof VsphereVirtualDiskVolumeSource>;
