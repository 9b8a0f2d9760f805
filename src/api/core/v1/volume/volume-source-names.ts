/** The members of volumes that name a storage system, in the order in which v1.21 looks at them. */

import type { PersistentVolumeSpec } from "./persistent-volume-spec.ts";

/** In volumes of pods; with another name where a surplus one is reported under it. */
export const oneSource = {
  members: [
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    ["cephfs", "cephFS"],
    "quobyte",
    ["downwardAPI", "downwarAPI"],
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
  ],
  missing: "must specify a volume type",
  surplus: "may not specify more than 1 volume type",
} as const;

/** In the order of the checks: of several the first is used. */
export const persistentSources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

/** Those that are mounted with options; the field for them is not checked. */
export const mountedWithOptions = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const satisfies readonly (typeof persistentSources)[number][];

/** What v1.21 calls a source that is one too many. A flexVolume is checked in addition to any other, without such an error. */
const surplusNames: Readonly<Record<string, string>> = { cephfs: "cephFS", flexVolume: "" };
export const onePersistentSource = {
  members: persistentSources.map((source) => [source, surplusNames[source] ?? source] as const),
  missing: "must specify a volume type",
  surplus: "may not specify more than 1 volume type",
};
