/** A volume of a pod. */

import type { Static } from "../../../../machinery/schema/build.ts";
import {
  bool,
  elided,
  int32,
  int64,
  list,
  map,
  optional,
  quantity,
  string,
  struct,
} from "../../../../machinery/schema/build.ts";
import { ObjectMetaStruct } from "../../../../machinery/schema/object-meta.ts";
import { type FieldErrors, forbidden, noErrors } from "../../../../machinery/status/field-error.ts";
import { LabelSelector } from "../../../meta/label-selector.ts";
import { onlyLabelsAndAnnotations } from "../../../meta/template-metadata.ts";
import { ObjectFieldSelector, ResourceFieldSelector } from "../pod/container-env.ts";
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
import { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";
import { validateSourcePaths } from "./source-rules.ts";

const modeText = "must be a number between 0 and 0777 (octal), both inclusive";

const validateSizeLimit = (limit: string, path: string): FieldErrors =>
  limit.startsWith("-") ? [forbidden(path, "SizeLimit field must be a valid resource quantity")] : noErrors;

const KeyToPath = struct("core.v1.KeyToPath", {
  key: string().at(1).required().doc("The key whose value becomes the content of the file. Required."),
  path: string().at(2).required().named("filePath").doc("The relative path of the file; must not contain .."),
  mode: optional(int32())
    .at(3)
    .atLeast(0)
    .atMost(0o777, modeText)
    .doc("The mode of the file, 0 to 0777; decimal in JSON. Absent: defaultMode of the volume."),
  user: optional(int64())
    .at(4)
    .since("1.37")
    .atLeast(0)
    .behind("AtomicWriteVolumeUserFields")
    .doc("The user that owns the file. Absent: root, or the user of the pod."),
});

const ConfigMapProjection = struct(
  "core.v1.ConfigMapProjection",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .required()
      .doc("The name of the config map, in the namespace of the pod."),
    items: elided(list(KeyToPath))
      .at(2)
      .doc("Which keys become which files. Absent: every key becomes a file of its name."),
    optional: optional(bool()).at(4).doc("Whether the config map or its keys may be missing. Default: false."),
  },
  { inline: { localObjectReference: 1 } },
);

const ConfigMapVolumeSource = struct(
  "core.v1.ConfigMapVolumeSource",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .required()
      .doc("The name of the config map, in the namespace of the pod."),
    items: elided(list(KeyToPath))
      .at(2)
      .doc("Which keys become which files. Absent: every key becomes a file of its name."),
    defaultMode: optional(int32())
      .at(3)
      .atLeast(0)
      .atMost(0o777, modeText)
      .default(0o644)
      .doc("The default mode of files, 0 to 0777; decimal in JSON. Default: 0644."),
    optional: optional(bool()).at(4).doc("Whether the config map or its keys may be missing. Default: false."),
    defaultUser: optional(int64())
      .at(5)
      .since("1.37")
      .atLeast(0)
      .behind("AtomicWriteVolumeUserFields")
      .doc("The user that owns files which name none; needs the feature gate AtomicWriteVolumeUserFields."),
  },
  { inline: { localObjectReference: 1 } },
);

export const DownwardAPIVolumeFile = struct("core.v1.DownwardAPIVolumeFile", {
  path: string().at(1).required().named("filePath").doc("The relative path of the file; must not contain .."),
  fieldRef: optional(ObjectFieldSelector)
    .at(2)
    .doc("A field of the pod: annotations, labels, name, namespace or uid of its metadata."),
  resourceFieldRef: optional(ResourceFieldSelector)
    .at(3)
    .doc("A limit or request of a container: limits.cpu, limits.memory, requests.cpu or requests.memory."),
  mode: optional(int32())
    .at(4)
    .atLeast(0)
    .atMost(0o777, modeText)
    .doc("The mode of the file, 0 to 0777; decimal in JSON. Absent: defaultMode of the volume."),
  user: optional(int64())
    .at(5)
    .since("1.37")
    .atLeast(0)
    .behind("AtomicWriteVolumeUserFields")
    .doc("The user that owns the file. Absent: root, or the user of the pod."),
});
export type DownwardAPIVolumeFile = Static<typeof DownwardAPIVolumeFile>;

const DownwardAPIProjection = struct("core.v1.DownwardAPIProjection", {
  items: elided(list(DownwardAPIVolumeFile.reported("")))
    .at(1)
    .reported("")
    .doc("Which fields of the pod become which files."),
});

const DownwardAPIVolumeSource = struct("core.v1.DownwardAPIVolumeSource", {
  items: elided(list(DownwardAPIVolumeFile.reported("")))
    .at(1)
    .reported("")
    .doc("Which fields of the pod become which files."),
  defaultMode: optional(int32())
    .at(2)
    .atLeast(0)
    .atMost(0o777, modeText)
    .default(0o644)
    .doc("The default mode of files, 0 to 0777; decimal in JSON. Default: 0644."),
  defaultUser: optional(int64())
    .at(3)
    .since("1.37")
    .atLeast(0)
    .behind("AtomicWriteVolumeUserFields")
    .doc("The user that owns files which name none; needs the feature gate AtomicWriteVolumeUserFields."),
});

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

const SecretProjection = struct(
  "core.v1.SecretProjection",
  {
    name: elided(string())
      .at(1, "localObjectReference")
      .required()
      .doc("The name of the secret, in the namespace of the pod."),
    items: elided(list(KeyToPath))
      .at(2)
      .doc("Which keys become which files. Absent: every key becomes a file of its name."),
    optional: optional(bool()).at(4).doc("Whether the secret or its keys may be missing. Default: false."),
  },
  { inline: { localObjectReference: 1 } },
);

const ServiceAccountTokenProjection = struct("core.v1.ServiceAccountTokenProjection", {
  audience: elided(string()).at(1).doc("Who the token is for. Absent: the API server."),
  expirationSeconds: optional(int64())
    .at(2)
    .atLeast(600, "may not specify a duration less than 10 minutes")
    .atMost(2 ** 32, "may not specify a duration larger than 2^32 seconds")
    .default(3600)
    .doc("How long a token is valid, at least 600 seconds; it is renewed before it expires. Default: 3600."),
  path: string()
    .at(3)
    .required()
    .from("1.28", (path) => path.named("filePath"))
    .reported("../../../path")
    .doc("The path of the token file within the volume."),
  user: optional(int64())
    .at(4)
    .since("1.37")
    .atLeast(0)
    .behind("AtomicWriteVolumeUserFields")
    .doc("The user that owns the file. Absent: root, or the user of the pod."),
});

const ClusterTrustBundleProjection = struct("core.v1.ClusterTrustBundleProjection", {
  name: optional(string()).at(1).doc("One ClusterTrustBundle; excludes signerName and labelSelector."),
  signerName: optional(string()).at(2).doc("The signer of the bundles that are combined."),
  labelSelector: optional(LabelSelector).at(3).doc("Labels of the bundles. Absent: none; empty: all of the signer."),
  path: string().at(4).doc("The path of the file with the trust anchors."),
  optional: optional(bool()).at(5).doc("Whether the bundles may be missing. Default: false."),
  user: optional(int64())
    .at(6)
    .since("1.37")
    .atLeast(0)
    .behind("AtomicWriteVolumeUserFields")
    .doc("The user that owns the file. Absent: root, or the user of the pod."),
});

const PodCertificateProjection = struct("core.v1.PodCertificateProjection", {
  signerName: elided(string()).at(1).listed(true).doc("The signer that the certificate is asked of."),
  keyType: elided(string())
    .at(2)
    .listed(true)
    .doc("The kind of key that is made: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519."),
  maxExpirationSeconds: optional(int32()).at(3).doc("How long the certificate is valid at most. Default: 86400."),
  credentialBundlePath: elided(string()).at(4).doc("The path of the file with the key and the certificates."),
  keyPath: elided(string()).at(5).doc("The path of the file with the key alone."),
  certificateChainPath: elided(string()).at(6).doc("The path of the file with the certificates alone."),
  userAnnotations: elided(map(string())).at(7).since("1.35").doc("Further facts for the signer."),
  user: optional(int64())
    .at(8)
    .since("1.37")
    .atLeast(0)
    .behind("AtomicWriteVolumeUserFields")
    .doc("The user that owns the file. Absent: root, or the user of the pod."),
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

export const VolumeProjection = struct("core.v1.VolumeProjection", {
  secret: optional(SecretProjection).at(1).doc("One file for each key of a secret."),
  downwardAPI: optional(DownwardAPIProjection).at(2).doc("Files whose content comes from fields of the pod."),
  configMap: optional(ConfigMapProjection).at(3).doc("One file for each key of a config map."),
  serviceAccountToken: optional(ServiceAccountTokenProjection)
    .at(4)
    .doc("A file with a token of the service account of the pod."),
  clusterTrustBundle: optional(ClusterTrustBundleProjection)
    .at(5)
    .since("1.29")
    .behind("ClusterTrustBundleProjection")
    .doc("A file with trust anchors; needs the feature gate ClusterTrustBundleProjection."),
  podCertificate: optional(PodCertificateProjection)
    .at(6)
    .since("1.34")
    .behind("PodCertificateRequest")
    .doc("Files with a key and a certificate of the pod; needs the feature gate PodCertificateRequest."),
});
export type VolumeProjection = Static<typeof VolumeProjection>;

const ProjectedVolumeSource = struct("core.v1.ProjectedVolumeSource", {
  sources: list(VolumeProjection)
    .listed(false)
    .at(1)
    .checked(validateSourcePaths)
    .doc("The sources whose files are combined in the volume."),
  defaultMode: optional(int32())
    .at(2)
    .atLeast(0)
    .atMost(0o777, modeText)
    .default(0o644)
    .doc("The default mode of files, 0 to 0777; decimal in JSON. Default: 0644."),
  defaultUser: optional(int64())
    .at(3)
    .since("1.37")
    .atLeast(0)
    .behind("AtomicWriteVolumeUserFields")
    .doc("The user that owns files which name none; needs the feature gate AtomicWriteVolumeUserFields."),
});

const SecretVolumeSource = struct("core.v1.SecretVolumeSource", {
  secretName: elided(string()).at(1).required().doc("The name of the secret, in the namespace of the pod."),
  items: elided(list(KeyToPath))
    .at(2)
    .doc("Which keys become which files. Absent: every key becomes a file of its name."),
  defaultMode: optional(int32())
    .at(3)
    .atLeast(0)
    .atMost(0o777, modeText)
    .default(0o644)
    .doc("The default mode of files, 0 to 0777; decimal in JSON. Default: 0644."),
  optional: optional(bool()).at(4).doc("Whether the secret or its keys may be missing. Default: false."),
  defaultUser: optional(int64())
    .at(5)
    .since("1.37")
    .atLeast(0)
    .behind("AtomicWriteVolumeUserFields")
    .doc("The user that owns files which name none; needs the feature gate AtomicWriteVolumeUserFields."),
});

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
