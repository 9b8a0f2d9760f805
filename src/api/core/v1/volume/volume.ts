/** A volume of a pod. */

import type { Static } from "../../../../machinery/schema/build.ts";
import { bool, elided, int32, optional, quantity, string, struct } from "../../../../machinery/schema/build.ts";
import { ObjectMetaStruct } from "../../../../machinery/schema/object-meta.ts";
import { type FieldErrors, forbidden, noErrors } from "../../../../machinery/status/field-error.ts";
import { onlyLabelsAndAnnotations } from "../../../meta/template-metadata.ts";
import { imageTag } from "../pod/image-name.ts";
import {
  FCVolumeSource,
  FlockerVolumeSource,
  ISCSIVolumeSource,
  PortworxVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
} from "./block-devices.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  CinderVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./cloud-disks.ts";
import { CSIVolumeSource, FlexVolumeSource } from "./drivers.ts";
import {
  AzureFileVolumeSource,
  CephFSVolumeSource,
  GlusterfsVolumeSource,
  HostPathVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
} from "./file-systems.ts";
import {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
} from "./object-files.ts";
import { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";

const validateSizeLimit = (limit: string, path: string): FieldErrors =>
  limit.startsWith("-") ? [forbidden(path, "SizeLimit field must be a valid resource quantity")] : noErrors;

const EmptyDirVolumeSource = struct("core.v1.EmptyDirVolumeSource", {
  medium: elided(string()).at(1).doc("Where the files are kept: empty for the disk of the node, Memory, or HugePages."),
  sizeLimit: optional(quantity())
    .at(2)
    .checked(validateSizeLimit)
    .doc("How much may be stored before the pod is evicted. Absent: unlimited."),
  mode: optional(int32())
    .at(3)
    .since("1.37")
    .atLeast(0)
    .atMost(0o1777, "must be a number between 0 and 01777 (octal), both inclusive")
    .behind("EmptyDirVolumeMode")
    .doc("The mode of the directory, decimal in JSON. Default: 0777."),
});

const PersistentVolumeClaimTemplate = struct("core.v1.PersistentVolumeClaimTemplate", {
  metadata: elided(ObjectMetaStruct)
    .at(1)
    .checked(onlyLabelsAndAnnotations("cannot be set for an ephemeral volume"))
    .doc("Labels and annotations of the claim."),
  spec: PersistentVolumeClaimSpec.at(2).doc("The spec of the claim that is created for the pod. Required."),
});

const EphemeralVolumeSource = struct("core.v1.EphemeralVolumeSource", {
  volumeClaimTemplate: optional(PersistentVolumeClaimTemplate)
    .at(1)
    .required()
    .doc("The claim that is created with the pod, named POD-VOLUME, and deleted with it."),
});

const GitRepoVolumeSource = struct("core.v1.GitRepoVolumeSource", {
  repository: string().at(1).required().doc("The URL of the Git repository to clone. Required."),
  revision: elided(string()).at(2).doc("The commit to check out. Absent: the head of the default branch."),
  directory: elided(string())
    .at(3)
    .named("relativePath")
    .doc("The target directory; must not contain ... Absent: a directory named after the repository."),
});

const PersistentVolumeClaimVolumeSource = struct("core.v1.PersistentVolumeClaimVolumeSource", {
  claimName: string().at(1).required().doc("The name of the claim, in the namespace of the pod."),
  readOnly: elided(bool()).at(2).doc("Whether the volume is mounted read-only. Default: false."),
});

const ImageVolumeSource = struct(
  "core.v1.ImageVolumeSource",
  {
    reference: elided(string()).at(1).doc("The name of the image whose files the volume has, such as example/data:v1."),
    pullPolicy: elided(string())
      .at(2)
      .oneOf(["Always", "IfNotPresent", "Never"])
      .doc("Always, Never or IfNotPresent. Default: Always for the tag latest, otherwise IfNotPresent."),
  },
  {
    defaults(source, { gates }) {
      if (!gates.enabled("ImageVolume")) return;
      const isMoving = source.reference && imageTag(source.reference) === "latest";
      source.pullPolicy ||= isMoving ? "Always" : "IfNotPresent";
    },
  },
);

export const Volume = struct(
  "core.v1.Volume",
  {
    name: string()
      .at(1)
      .required()
      .named("label")
      .doc("The name by which containers mount the volume: a DNS label, unique in the pod."),
    hostPath: optional(HostPathVolumeSource).at(1, "volumeSource").doc("A file or directory of the node."),
    emptyDir: optional(EmptyDirVolumeSource)
      .at(2, "volumeSource")
      .doc("An empty directory that lives as long as the pod."),
    gcePersistentDisk: optional(GCEPersistentDiskVolumeSource)
      .at(3, "volumeSource")
      .reported("persistentDisk")
      .doc("A disk of Google Compute Engine."),
    awsElasticBlockStore: optional(AWSElasticBlockStoreVolumeSource)
      .at(4, "volumeSource")
      .doc("Mounts a disk of Amazon EBS."),
    gitRepo: optional(GitRepoVolumeSource)
      .at(5, "volumeSource")
      .doc("A clone of a git repository; deprecated, use an init container."),
    secret: optional(SecretVolumeSource).at(6, "volumeSource").doc("One file for each key of a secret."),
    nfs: optional(NFSVolumeSource).at(7, "volumeSource").doc("Mounts a directory that an NFS server exports."),
    iscsi: optional(ISCSIVolumeSource)
      .at(8, "volumeSource")
      .doc("Mounts an iSCSI disk, which one node at a time may write."),
    glusterfs: optional(GlusterfsVolumeSource).at(9, "volumeSource").doc("Mounts a Gluster volume."),
    persistentVolumeClaim: optional(PersistentVolumeClaimVolumeSource)
      .at(10, "volumeSource")
      .doc("The volume bound to a claim in the same namespace."),
    rbd: optional(RBDVolumeSource).at(11, "volumeSource").doc("Mounts a Ceph block device (RBD)."),
    flexVolume: optional(FlexVolumeSource).at(12, "volumeSource").doc("A volume of a FlexVolume driver."),
    cinder: optional(CinderVolumeSource).at(13, "volumeSource").doc("Mounts an OpenStack Cinder volume."),
    cephfs: optional(CephFSVolumeSource).at(14, "volumeSource").doc("Mounts a directory of a Ceph file system."),
    flocker: optional(FlockerVolumeSource).at(15, "volumeSource").doc("Mounts a Flocker dataset. Deprecated."),
    downwardAPI: optional(DownwardAPIVolumeSource)
      .at(16, "volumeSource")
      .doc("Files whose content comes from fields of the pod."),
    fc: optional(FCVolumeSource).at(17, "volumeSource").doc("Mounts a Fibre Channel disk."),
    azureFile: optional(AzureFileVolumeSource).at(18, "volumeSource").doc("Mounts a share of Azure Files."),
    configMap: optional(ConfigMapVolumeSource).at(19, "volumeSource").doc("One file for each key of a config map."),
    vsphereVolume: optional(VsphereVirtualDiskVolumeSource)
      .at(20, "volumeSource")
      .doc("Mounts a virtual disk of vSphere."),
    quobyte: optional(QuobyteVolumeSource).at(21, "volumeSource").doc("Mounts a Quobyte volume."),
    azureDisk: optional(AzureDiskVolumeSource).at(22, "volumeSource").doc("Mounts an Azure data disk."),
    photonPersistentDisk: optional(PhotonPersistentDiskVolumeSource)
      .at(23, "volumeSource")
      .doc("Mounts a disk of Photon Controller."),
    portworxVolume: optional(PortworxVolumeSource).at(24, "volumeSource").doc("Mounts a Portworx volume."),
    scaleIO: optional(ScaleIOVolumeSource).at(25, "volumeSource").doc("Mounts a ScaleIO volume."),
    projected: optional(ProjectedVolumeSource)
      .at(26, "volumeSource")
      .doc("Files from several sources in one directory."),
    storageos: optional(StorageOSVolumeSource).at(27, "volumeSource").doc("Mounts a StorageOS volume."),
    csi: optional(CSIVolumeSource).at(28, "volumeSource").doc("A volume that a CSI driver makes for the pod."),
    ephemeral: optional(EphemeralVolumeSource)
      .at(29, "volumeSource")
      .behind("GenericEphemeralVolume")
      .doc(
        "A volume that is provisioned for the pod and deleted with it; needs the feature gate GenericEphemeralVolume.",
      ),
    image: optional(ImageVolumeSource).at(30, "volumeSource").since("1.31").doc("The files of an image, read-only."),
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
