/** The storage systems volumes come from. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, map, nullable, optional, string, struct } from "../../../machinery/schema/build.ts";
import { LocalObjectReference, ObjectReference, SecretReference } from "./references.ts";

export const AWSElasticBlockStoreVolumeSource = struct("core.v1.AWSElasticBlockStoreVolumeSource", {
  volumeID: string().at(1),
  fsType: elided(string()).at(2),
  partition: elided(int32()).at(3),
  readOnly: elided(bool()).at(4),
});
export type AWSElasticBlockStoreVolumeSource = Static<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = struct("core.v1.AzureDiskVolumeSource", {
  diskName: string().at(1),
  diskURI: string().at(2),
  cachingMode: optional(string()).at(3).default("ReadWrite"),
  fsType: optional(string()).at(4).default("ext4"),
  readOnly: optional(bool()).at(5).default(false),
  kind: optional(string()).at(6).default("Shared"),
});
export type AzureDiskVolumeSource = Static<typeof AzureDiskVolumeSource>;

export const AzureFilePersistentVolumeSource = struct("core.v1.AzureFilePersistentVolumeSource", {
  secretName: string().at(1),
  shareName: string().at(2),
  readOnly: elided(bool()).at(3),
  secretNamespace: optional(string()).at(4),
});
export type AzureFilePersistentVolumeSource = Static<typeof AzureFilePersistentVolumeSource>;

export const AzureFileVolumeSource = struct("core.v1.AzureFileVolumeSource", {
  secretName: string().at(1),
  shareName: string().at(2),
  readOnly: elided(bool()).at(3),
});
export type AzureFileVolumeSource = Static<typeof AzureFileVolumeSource>;

export const CSIPersistentVolumeSource = struct("core.v1.CSIPersistentVolumeSource", {
  driver: string().at(1),
  volumeHandle: string().at(2),
  readOnly: elided(bool()).at(3),
  fsType: elided(string()).at(4),
  volumeAttributes: elided(map(string())).at(5),
  controllerPublishSecretRef: optional(SecretReference).at(6),
  nodeStageSecretRef: optional(SecretReference).at(7),
  nodePublishSecretRef: optional(SecretReference).at(8),
  controllerExpandSecretRef: optional(SecretReference).at(9),
});
export type CSIPersistentVolumeSource = Static<typeof CSIPersistentVolumeSource>;

export const CSIVolumeSource = struct("core.v1.CSIVolumeSource", {
  driver: string().at(1),
  readOnly: optional(bool()).at(2),
  fsType: optional(string()).at(3),
  volumeAttributes: elided(map(string())).at(4),
  nodePublishSecretRef: optional(LocalObjectReference).at(5),
});
export type CSIVolumeSource = Static<typeof CSIVolumeSource>;

export const CephFSPersistentVolumeSource = struct("core.v1.CephFSPersistentVolumeSource", {
  monitors: list(string()).at(1),
  path: elided(string()).at(2),
  user: elided(string()).at(3),
  secretFile: elided(string()).at(4),
  secretRef: optional(SecretReference).at(5),
  readOnly: elided(bool()).at(6),
});
export type CephFSPersistentVolumeSource = Static<typeof CephFSPersistentVolumeSource>;

export const CephFSVolumeSource = struct("core.v1.CephFSVolumeSource", {
  monitors: list(string()).at(1),
  path: elided(string()).at(2),
  user: elided(string()).at(3),
  secretFile: elided(string()).at(4),
  secretRef: optional(LocalObjectReference).at(5),
  readOnly: elided(bool()).at(6),
});
export type CephFSVolumeSource = Static<typeof CephFSVolumeSource>;

export const CinderPersistentVolumeSource = struct("core.v1.CinderPersistentVolumeSource", {
  volumeID: string().at(1),
  fsType: elided(string()).at(2),
  readOnly: elided(bool()).at(3),
  secretRef: optional(SecretReference).at(4),
});
export type CinderPersistentVolumeSource = Static<typeof CinderPersistentVolumeSource>;

export const CinderVolumeSource = struct("core.v1.CinderVolumeSource", {
  volumeID: string().at(1),
  fsType: elided(string()).at(2),
  readOnly: elided(bool()).at(3),
  secretRef: optional(LocalObjectReference).at(4),
});
export type CinderVolumeSource = Static<typeof CinderVolumeSource>;

export const FCVolumeSource = struct("core.v1.FCVolumeSource", {
  targetWWNs: elided(list(string())).at(1),
  lun: optional(int32()).at(2),
  fsType: elided(string()).at(3),
  readOnly: elided(bool()).at(4),
  wwids: elided(list(string())).at(5),
});
export type FCVolumeSource = Static<typeof FCVolumeSource>;

export const FlexPersistentVolumeSource = struct("core.v1.FlexPersistentVolumeSource", {
  driver: string().at(1),
  fsType: elided(string()).at(2),
  secretRef: optional(SecretReference).at(3),
  readOnly: elided(bool()).at(4),
  options: elided(map(string())).at(5),
});
export type FlexPersistentVolumeSource = Static<typeof FlexPersistentVolumeSource>;

export const FlexVolumeSource = struct("core.v1.FlexVolumeSource", {
  driver: string().at(1),
  fsType: elided(string()).at(2),
  secretRef: optional(LocalObjectReference).at(3),
  readOnly: elided(bool()).at(4),
  options: elided(map(string())).at(5),
});
export type FlexVolumeSource = Static<typeof FlexVolumeSource>;

export const FlockerVolumeSource = struct("core.v1.FlockerVolumeSource", {
  datasetName: elided(string()).at(1),
  datasetUUID: elided(string()).at(2),
});
export type FlockerVolumeSource = Static<typeof FlockerVolumeSource>;

export const GCEPersistentDiskVolumeSource = struct("core.v1.GCEPersistentDiskVolumeSource", {
  pdName: string().at(1),
  fsType: elided(string()).at(2),
  partition: elided(int32()).at(3),
  readOnly: elided(bool()).at(4),
});
export type GCEPersistentDiskVolumeSource = Static<typeof GCEPersistentDiskVolumeSource>;

export const GlusterfsPersistentVolumeSource = struct("core.v1.GlusterfsPersistentVolumeSource", {
  endpoints: string().at(1),
  path: string().at(2),
  readOnly: elided(bool()).at(3),
  endpointsNamespace: optional(string()).at(4),
});
export type GlusterfsPersistentVolumeSource = Static<typeof GlusterfsPersistentVolumeSource>;

export const GlusterfsVolumeSource = struct("core.v1.GlusterfsVolumeSource", {
  endpoints: string().at(1),
  path: string().at(2),
  readOnly: elided(bool()).at(3),
});
export type GlusterfsVolumeSource = Static<typeof GlusterfsVolumeSource>;

export const HostPathVolumeSource = struct("core.v1.HostPathVolumeSource", {
  path: string().at(1),
  type: optional(string()).at(2).default(""),
});
export type HostPathVolumeSource = Static<typeof HostPathVolumeSource>;

export const ISCSIPersistentVolumeSource = struct("core.v1.ISCSIPersistentVolumeSource", {
  targetPortal: string().at(1),
  iqn: string().at(2),
  lun: int32().at(3),
  iscsiInterface: elided(string()).at(4).default("default"),
  fsType: elided(string()).at(5),
  readOnly: elided(bool()).at(6),
  portals: elided(list(string())).at(7),
  chapAuthDiscovery: elided(bool()).at(8),
  secretRef: optional(SecretReference).at(10),
  chapAuthSession: elided(bool()).at(11),
  initiatorName: optional(string()).at(12),
});
export type ISCSIPersistentVolumeSource = Static<typeof ISCSIPersistentVolumeSource>;

export const ISCSIVolumeSource = struct("core.v1.ISCSIVolumeSource", {
  targetPortal: string().at(1),
  iqn: string().at(2),
  lun: int32().at(3),
  iscsiInterface: elided(string()).at(4).default("default"),
  fsType: elided(string()).at(5),
  readOnly: elided(bool()).at(6),
  portals: elided(list(string())).at(7),
  chapAuthDiscovery: elided(bool()).at(8),
  secretRef: optional(LocalObjectReference).at(10),
  chapAuthSession: elided(bool()).at(11),
  initiatorName: optional(string()).at(12),
});
export type ISCSIVolumeSource = Static<typeof ISCSIVolumeSource>;

export const LocalVolumeSource = struct("core.v1.LocalVolumeSource", {
  path: string().at(1),
  fsType: optional(string()).at(2),
});
export type LocalVolumeSource = Static<typeof LocalVolumeSource>;

export const NFSVolumeSource = struct("core.v1.NFSVolumeSource", {
  server: string().at(1),
  path: string().at(2),
  readOnly: elided(bool()).at(3),
});
export type NFSVolumeSource = Static<typeof NFSVolumeSource>;

export const PhotonPersistentDiskVolumeSource = struct("core.v1.PhotonPersistentDiskVolumeSource", {
  pdID: string().at(1),
  fsType: elided(string()).at(2),
});
export type PhotonPersistentDiskVolumeSource = Static<typeof PhotonPersistentDiskVolumeSource>;

export const PortworxVolumeSource = struct("core.v1.PortworxVolumeSource", {
  volumeID: string().at(1),
  fsType: elided(string()).at(2),
  readOnly: elided(bool()).at(3),
});
export type PortworxVolumeSource = Static<typeof PortworxVolumeSource>;

export const QuobyteVolumeSource = struct("core.v1.QuobyteVolumeSource", {
  registry: string().at(1),
  volume: string().at(2),
  readOnly: elided(bool()).at(3),
  user: elided(string()).at(4),
  group: elided(string()).at(5),
  tenant: elided(string()).at(6),
});
export type QuobyteVolumeSource = Static<typeof QuobyteVolumeSource>;

export const RBDPersistentVolumeSource = struct("core.v1.RBDPersistentVolumeSource", {
  monitors: list(string()).at(1),
  image: string().at(2),
  fsType: elided(string()).at(3),
  pool: elided(string()).at(4).default("rbd"),
  user: elided(string()).at(5).default("admin"),
  keyring: elided(string()).at(6).default("/etc/ceph/keyring"),
  secretRef: optional(SecretReference).at(7),
  readOnly: elided(bool()).at(8),
});
export type RBDPersistentVolumeSource = Static<typeof RBDPersistentVolumeSource>;

export const RBDVolumeSource = struct("core.v1.RBDVolumeSource", {
  monitors: list(string()).at(1),
  image: string().at(2),
  fsType: elided(string()).at(3),
  pool: elided(string()).at(4).default("rbd"),
  user: elided(string()).at(5).default("admin"),
  keyring: elided(string()).at(6).default("/etc/ceph/keyring"),
  secretRef: optional(LocalObjectReference).at(7),
  readOnly: elided(bool()).at(8),
});
export type RBDVolumeSource = Static<typeof RBDVolumeSource>;

export const ScaleIOPersistentVolumeSource = struct("core.v1.ScaleIOPersistentVolumeSource", {
  gateway: string().at(1),
  system: string().at(2),
  secretRef: nullable(SecretReference).listed(true).at(3),
  sslEnabled: elided(bool()).at(4),
  protectionDomain: elided(string()).at(5),
  storagePool: elided(string()).at(6),
  storageMode: elided(string()).at(7).default("ThinProvisioned"),
  volumeName: elided(string()).at(8),
  fsType: elided(string()).at(9).default("xfs"),
  readOnly: elided(bool()).at(10),
});
export type ScaleIOPersistentVolumeSource = Static<typeof ScaleIOPersistentVolumeSource>;

export const ScaleIOVolumeSource = struct("core.v1.ScaleIOVolumeSource", {
  gateway: string().at(1),
  system: string().at(2),
  secretRef: nullable(LocalObjectReference).listed(true).at(3),
  sslEnabled: elided(bool()).at(4),
  protectionDomain: elided(string()).at(5),
  storagePool: elided(string()).at(6),
  storageMode: elided(string()).at(7).default("ThinProvisioned"),
  volumeName: elided(string()).at(8),
  fsType: elided(string()).at(9).default("xfs"),
  readOnly: elided(bool()).at(10),
});
export type ScaleIOVolumeSource = Static<typeof ScaleIOVolumeSource>;

export const StorageOSPersistentVolumeSource = struct("core.v1.StorageOSPersistentVolumeSource", {
  volumeName: elided(string()).at(1),
  volumeNamespace: elided(string()).at(2),
  fsType: elided(string()).at(3),
  readOnly: elided(bool()).at(4),
  secretRef: optional(ObjectReference).at(5),
});
export type StorageOSPersistentVolumeSource = Static<typeof StorageOSPersistentVolumeSource>;

export const StorageOSVolumeSource = struct("core.v1.StorageOSVolumeSource", {
  volumeName: elided(string()).at(1),
  volumeNamespace: elided(string()).at(2),
  fsType: elided(string()).at(3),
  readOnly: elided(bool()).at(4),
  secretRef: optional(LocalObjectReference).at(5),
});
export type StorageOSVolumeSource = Static<typeof StorageOSVolumeSource>;

export const VsphereVirtualDiskVolumeSource = struct("core.v1.VsphereVirtualDiskVolumeSource", {
  volumePath: string().at(1),
  fsType: elided(string()).at(2),
  storagePolicyName: elided(string()).at(3),
  storagePolicyID: elided(string()).at(4),
});
export type VsphereVirtualDiskVolumeSource = Static<typeof VsphereVirtualDiskVolumeSource>;
