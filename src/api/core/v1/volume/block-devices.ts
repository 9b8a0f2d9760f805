/** Block devices of the network as sources of volumes. */

import {
  bool,
  elided,
  int32,
  list,
  nullable,
  optional,
  type Static,
  string,
  struct,
} from "../../../../machinery/schema/build.ts";
import { LocalObjectReference, ObjectReference, SecretReference } from "../references.ts";
import { hasName, hasNameAndNamespace, iscsiNameProblems, lunMax } from "./source-rules.ts";

export const FCVolumeSource = struct("core.v1.FCVolumeSource", {
  targetWWNs: elided(list(string())).at(1).doc("World wide names of the targets."),
  lun: optional(int32()).at(2).atLeast(0).atMost(lunMax).doc("The number of the LUN on the target."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  wwids: elided(list(string()))
    .at(5)
    .doc("World wide ids of the volume; either these or targetWWNs and lun must be set."),
});
export type FCVolumeSource = Static<typeof FCVolumeSource>;

export const FlockerVolumeSource = struct("core.v1.FlockerVolumeSource", {
  datasetName: elided(string())
    .at(1)
    .named((name) => (name.includes("/") ? ["must not contain '/'"] : []))
    .doc("The name of the dataset; deprecated."),
  datasetUUID: elided(string()).at(2).doc("The UUID of the Flocker dataset. Required unless datasetName is set."),
});
export type FlockerVolumeSource = Static<typeof FlockerVolumeSource>;

export const ISCSIPersistentVolumeSource = struct("core.v1.ISCSIPersistentVolumeSource", {
  targetPortal: string().at(1).required().doc("The portal of the target, as IP or IP:PORT (default port 3260)."),
  iqn: string().at(2).required().named(iscsiNameProblems).doc("The qualified name of the target."),
  lun: int32().at(3).atLeast(0).atMost(lunMax).doc("The number of the LUN."),
  iscsiInterface: elided(string())
    .at(4)
    .openApiDefault("default", "1.31")
    .doc("The iSCSI interface to use. Default: default."),
  fsType: elided(string())
    .at(5)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(6).doc("Whether the volume is mounted read-only. Default: false."),
  portals: elided(list(string())).at(7).doc("Further portals of the target, as IP or IP:PORT."),
  chapAuthDiscovery: elided(bool()).at(8).doc("Whether discovery authenticates with CHAP. Default: false."),
  secretRef: optional(SecretReference)
    .at(10)
    .checked(hasName)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  chapAuthSession: elided(bool()).at(11).doc("Whether sessions authenticate with CHAP. Default: false."),
  initiatorName: optional(string())
    .at(12)
    .named(iscsiNameProblems)
    .reported("initiatorname")
    .doc("The name of the initiator. Absent: that of the node."),
});
export type ISCSIPersistentVolumeSource = Static<typeof ISCSIPersistentVolumeSource>;

export const ISCSIVolumeSource = struct("core.v1.ISCSIVolumeSource", {
  targetPortal: string().at(1).required().doc("The portal of the target, as IP or IP:PORT (default port 3260)."),
  iqn: string().at(2).required().named(iscsiNameProblems).doc("The qualified name of the target."),
  lun: int32().at(3).atLeast(0).atMost(lunMax).doc("The number of the LUN."),
  iscsiInterface: elided(string())
    .at(4)
    .openApiDefault("default", "1.31")
    .doc("The iSCSI interface to use. Default: default."),
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
  initiatorName: optional(string())
    .at(12)
    .named(iscsiNameProblems)
    .reported("initiatorname")
    .doc("The name of the initiator. Absent: that of the node."),
});
export type ISCSIVolumeSource = Static<typeof ISCSIVolumeSource>;

export const PortworxVolumeSource = struct("core.v1.PortworxVolumeSource", {
  volumeID: string().at(1).required().doc("The id of the volume."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
});
export type PortworxVolumeSource = Static<typeof PortworxVolumeSource>;

export const RBDPersistentVolumeSource = struct("core.v1.RBDPersistentVolumeSource", {
  monitors: list(string()).at(1).required().doc("Addresses of the Ceph monitors; required."),
  image: string().at(2).required().doc("The name of the Ceph image. Required."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  pool: elided(string()).at(4).openApiDefault("rbd", "1.31").doc("The name of the pool. Default: rbd."),
  user: elided(string()).at(5).openApiDefault("admin", "1.31").doc("The user to mount as. Default: admin."),
  keyring: elided(string())
    .at(6)
    .openApiDefault("/etc/ceph/keyring", "1.31")
    .doc("The path of the key ring on the node. Default: /etc/ceph/keyring."),
  secretRef: optional(SecretReference)
    .at(7)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(8).doc("Whether the volume is mounted read-only. Default: false."),
});
export type RBDPersistentVolumeSource = Static<typeof RBDPersistentVolumeSource>;

export const RBDVolumeSource = struct("core.v1.RBDVolumeSource", {
  monitors: list(string()).at(1).required().doc("Addresses of the Ceph monitors; required."),
  image: string().at(2).required().doc("The name of the Ceph image. Required."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  pool: elided(string()).at(4).openApiDefault("rbd", "1.31").doc("The name of the pool. Default: rbd."),
  user: elided(string()).at(5).openApiDefault("admin", "1.31").doc("The user to mount as. Default: admin."),
  keyring: elided(string())
    .at(6)
    .openApiDefault("/etc/ceph/keyring", "1.31")
    .doc("The path of the key ring on the node. Default: /etc/ceph/keyring."),
  secretRef: optional(LocalObjectReference)
    .at(7)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(8).doc("Whether the volume is mounted read-only. Default: false."),
});
export type RBDVolumeSource = Static<typeof RBDVolumeSource>;

export const ScaleIOPersistentVolumeSource = struct("core.v1.ScaleIOPersistentVolumeSource", {
  gateway: string().at(1).required().doc("The host and port of the ScaleIO API gateway. Required."),
  system: string().at(2).required().doc("The name of the storage system in ScaleIO. Required."),
  secretRef: nullable(SecretReference)
    .listed(true)
    .at(3)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  sslEnabled: elided(bool()).at(4).doc("Whether the gateway is reached over TLS. Default: false."),
  protectionDomain: elided(string()).at(5).doc("The name of the protection domain."),
  storagePool: elided(string()).at(6).doc("The storage pool of the protection domain."),
  storageMode: elided(string())
    .at(7)
    .openApiDefault("ThinProvisioned", "1.31")
    .doc("ThickProvisioned or ThinProvisioned. Default: ThinProvisioned."),
  volumeName: elided(string()).at(8).required().doc("The name of the volume."),
  fsType: elided(string())
    .at(9)
    .openApiDefault("xfs", "1.31")
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(10).doc("Whether the volume is mounted read-only. Default: false."),
});
export type ScaleIOPersistentVolumeSource = Static<typeof ScaleIOPersistentVolumeSource>;

export const ScaleIOVolumeSource = struct("core.v1.ScaleIOVolumeSource", {
  gateway: string().at(1).required().doc("The host and port of the ScaleIO API gateway. Required."),
  system: string().at(2).required().doc("The name of the storage system in ScaleIO. Required."),
  secretRef: nullable(LocalObjectReference)
    .listed(true)
    .at(3)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  sslEnabled: elided(bool()).at(4).doc("Whether the gateway is reached over TLS. Default: false."),
  protectionDomain: elided(string()).at(5).doc("The name of the protection domain."),
  storagePool: elided(string()).at(6).doc("The storage pool of the protection domain."),
  storageMode: elided(string())
    .at(7)
    .openApiDefault("ThinProvisioned", "1.31")
    .doc("ThickProvisioned or ThinProvisioned. Default: ThinProvisioned."),
  volumeName: elided(string()).at(8).required().doc("The name of the volume."),
  fsType: elided(string())
    .at(9)
    .openApiDefault("xfs", "1.31")
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(10).doc("Whether the volume is mounted read-only. Default: false."),
});
export type ScaleIOVolumeSource = Static<typeof ScaleIOVolumeSource>;

export const StorageOSPersistentVolumeSource = struct("core.v1.StorageOSPersistentVolumeSource", {
  volumeName: elided(string()).at(1).required().named("label").doc("The name of the volume, unique in its namespace."),
  volumeNamespace: elided(string())
    .at(2)
    .named("label")
    .doc("The StorageOS namespace of the volume. Absent: the namespace of the pod."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  secretRef: optional(ObjectReference)
    .at(5)
    .checked(hasNameAndNamespace)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
});
export type StorageOSPersistentVolumeSource = Static<typeof StorageOSPersistentVolumeSource>;

export const StorageOSVolumeSource = struct("core.v1.StorageOSVolumeSource", {
  volumeName: elided(string()).at(1).required().named("label").doc("The name of the volume, unique in its namespace."),
  volumeNamespace: elided(string())
    .at(2)
    .named("label")
    .doc("The StorageOS namespace of the volume. Absent: the namespace of the pod."),
  fsType: elided(string())
    .at(3)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  secretRef: optional(LocalObjectReference)
    .at(5)
    .checked(hasName)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
});
export type StorageOSVolumeSource = Static<typeof StorageOSVolumeSource>;
