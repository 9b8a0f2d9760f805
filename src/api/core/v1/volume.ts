/** A volume of a pod. */

import type { Static } from "../../../machinery/schema/build.ts";
import {
  bool,
  elided,
  int32,
  int64,
  list,
  optional,
  quantity,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { ObjectMetaStruct } from "../../../machinery/schema/object-meta.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "./container-env.ts";
import { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GlusterfsVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./volume-sources.ts";

export const KeyToPath = struct("core.v1.KeyToPath", {
  key: string().at(1),
  path: string().at(2),
  mode: optional(int32()).at(3),
});
export type KeyToPath = Static<typeof KeyToPath>;

export const ConfigMapProjection = struct(
  "core.v1.ConfigMapProjection",
  {
    name: elided(string()).at(1, "localObjectReference"),
    items: elided(list(KeyToPath)).at(2),
    optional: optional(bool()).at(4),
  },
  { inline: { localObjectReference: 1 } },
);
export type ConfigMapProjection = Static<typeof ConfigMapProjection>;

export const ConfigMapVolumeSource = struct(
  "core.v1.ConfigMapVolumeSource",
  {
    name: elided(string()).at(1, "localObjectReference"),
    items: elided(list(KeyToPath)).at(2),
    defaultMode: optional(int32()).at(3).default(0o644),
    optional: optional(bool()).at(4),
  },
  { inline: { localObjectReference: 1 } },
);
export type ConfigMapVolumeSource = Static<typeof ConfigMapVolumeSource>;

export const DownwardAPIVolumeFile = struct("core.v1.DownwardAPIVolumeFile", {
  path: string().at(1),
  fieldRef: optional(ObjectFieldSelector).at(2),
  resourceFieldRef: optional(ResourceFieldSelector).at(3),
  mode: optional(int32()).at(4),
});
export type DownwardAPIVolumeFile = Static<typeof DownwardAPIVolumeFile>;

export const DownwardAPIProjection = struct("core.v1.DownwardAPIProjection", {
  items: elided(list(DownwardAPIVolumeFile)).at(1),
});
export type DownwardAPIProjection = Static<typeof DownwardAPIProjection>;

export const DownwardAPIVolumeSource = struct("core.v1.DownwardAPIVolumeSource", {
  items: elided(list(DownwardAPIVolumeFile)).at(1),
  defaultMode: optional(int32()).at(2).default(0o644),
});
export type DownwardAPIVolumeSource = Static<typeof DownwardAPIVolumeSource>;

export const EmptyDirVolumeSource = struct("core.v1.EmptyDirVolumeSource", {
  medium: elided(string()).at(1),
  sizeLimit: optional(quantity()).at(2),
});
export type EmptyDirVolumeSource = Static<typeof EmptyDirVolumeSource>;

export const PersistentVolumeClaimTemplate = struct("core.v1.PersistentVolumeClaimTemplate", {
  metadata: elided(ObjectMetaStruct).at(1),
  spec: PersistentVolumeClaimSpec.at(2),
});
export type PersistentVolumeClaimTemplate = Static<typeof PersistentVolumeClaimTemplate>;

export const EphemeralVolumeSource = struct("core.v1.EphemeralVolumeSource", {
  volumeClaimTemplate: optional(PersistentVolumeClaimTemplate).at(1),
});
export type EphemeralVolumeSource = Static<typeof EphemeralVolumeSource>;

export const GitRepoVolumeSource = struct("core.v1.GitRepoVolumeSource", {
  repository: string().at(1),
  revision: elided(string()).at(2),
  directory: elided(string()).at(3),
});
export type GitRepoVolumeSource = Static<typeof GitRepoVolumeSource>;

export const PersistentVolumeClaimVolumeSource = struct("core.v1.PersistentVolumeClaimVolumeSource", {
  claimName: string().at(1),
  readOnly: elided(bool()).at(2),
});
export type PersistentVolumeClaimVolumeSource = Static<typeof PersistentVolumeClaimVolumeSource>;

export const SecretProjection = struct(
  "core.v1.SecretProjection",
  {
    name: elided(string()).at(1, "localObjectReference"),
    items: elided(list(KeyToPath)).at(2),
    optional: optional(bool()).at(4),
  },
  { inline: { localObjectReference: 1 } },
);
export type SecretProjection = Static<typeof SecretProjection>;

export const ServiceAccountTokenProjection = struct("core.v1.ServiceAccountTokenProjection", {
  audience: elided(string()).at(1),
  expirationSeconds: optional(int64()).at(2).default(3600),
  path: string().at(3),
});
export type ServiceAccountTokenProjection = Static<typeof ServiceAccountTokenProjection>;

export const VolumeProjection = struct("core.v1.VolumeProjection", {
  secret: optional(SecretProjection).at(1),
  downwardAPI: optional(DownwardAPIProjection).at(2),
  configMap: optional(ConfigMapProjection).at(3),
  serviceAccountToken: optional(ServiceAccountTokenProjection).at(4),
});
export type VolumeProjection = Static<typeof VolumeProjection>;

export const ProjectedVolumeSource = struct("core.v1.ProjectedVolumeSource", {
  sources: list(VolumeProjection).listed(false).at(1),
  defaultMode: optional(int32()).at(2).default(0o644),
});
export type ProjectedVolumeSource = Static<typeof ProjectedVolumeSource>;

export const SecretVolumeSource = struct("core.v1.SecretVolumeSource", {
  secretName: elided(string()).at(1),
  items: elided(list(KeyToPath)).at(2),
  defaultMode: optional(int32()).at(3).default(0o644),
  optional: optional(bool()).at(4),
});
export type SecretVolumeSource = Static<typeof SecretVolumeSource>;

export const Volume = struct(
  "core.v1.Volume",
  {
    name: string().at(1),
    hostPath: optional(HostPathVolumeSource).at(1, "volumeSource"),
    emptyDir: optional(EmptyDirVolumeSource).at(2, "volumeSource"),
    gcePersistentDisk: optional(GCEPersistentDiskVolumeSource).at(3, "volumeSource"),
    awsElasticBlockStore: optional(AWSElasticBlockStoreVolumeSource).at(4, "volumeSource"),
    gitRepo: optional(GitRepoVolumeSource).at(5, "volumeSource"),
    secret: optional(SecretVolumeSource).at(6, "volumeSource"),
    nfs: optional(NFSVolumeSource).at(7, "volumeSource"),
    iscsi: optional(ISCSIVolumeSource).at(8, "volumeSource"),
    glusterfs: optional(GlusterfsVolumeSource).at(9, "volumeSource"),
    persistentVolumeClaim: optional(PersistentVolumeClaimVolumeSource).at(10, "volumeSource"),
    rbd: optional(RBDVolumeSource).at(11, "volumeSource"),
    flexVolume: optional(FlexVolumeSource).at(12, "volumeSource"),
    cinder: optional(CinderVolumeSource).at(13, "volumeSource"),
    cephfs: optional(CephFSVolumeSource).at(14, "volumeSource"),
    flocker: optional(FlockerVolumeSource).at(15, "volumeSource"),
    downwardAPI: optional(DownwardAPIVolumeSource).at(16, "volumeSource"),
    fc: optional(FCVolumeSource).at(17, "volumeSource"),
    azureFile: optional(AzureFileVolumeSource).at(18, "volumeSource"),
    configMap: optional(ConfigMapVolumeSource).at(19, "volumeSource"),
    vsphereVolume: optional(VsphereVirtualDiskVolumeSource).at(20, "volumeSource"),
    quobyte: optional(QuobyteVolumeSource).at(21, "volumeSource"),
    azureDisk: optional(AzureDiskVolumeSource).at(22, "volumeSource"),
    photonPersistentDisk: optional(PhotonPersistentDiskVolumeSource).at(23, "volumeSource"),
    portworxVolume: optional(PortworxVolumeSource).at(24, "volumeSource"),
    scaleIO: optional(ScaleIOVolumeSource).at(25, "volumeSource"),
    projected: optional(ProjectedVolumeSource).at(26, "volumeSource"),
    storageos: optional(StorageOSVolumeSource).at(27, "volumeSource"),
    csi: optional(CSIVolumeSource).at(28, "volumeSource"),
    ephemeral: optional(EphemeralVolumeSource).at(29, "volumeSource"),
  },
  {
    inline: { volumeSource: 2 },
    // A volume that names no source is an empty directory.
    defaults(volume) {
      if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
    },
  },
);
export type Volume = Static<typeof Volume>;
