/** The spec of a persistent volume; also used by volume attachments. */

import {
  elided,
  granular,
  list,
  optional,
  quantity,
  type Static,
  string,
  struct,
} from "../../../../machinery/schema/build.ts";
import { resourceList } from "../../../common-fields.ts";
import { NodeSelector } from "../pod/scheduling.ts";
import { ObjectReference } from "../references.ts";
import {
  FCVolumeSource,
  FlockerVolumeSource,
  ISCSIPersistentVolumeSource,
  PortworxVolumeSource,
  RBDPersistentVolumeSource,
  ScaleIOPersistentVolumeSource,
  StorageOSPersistentVolumeSource,
} from "./block-devices.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  CinderPersistentVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./cloud-disks.ts";
import { CSIPersistentVolumeSource, FlexPersistentVolumeSource } from "./drivers.ts";
import {
  AzureFilePersistentVolumeSource,
  CephFSPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  HostPathVolumeSource,
  LocalVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
} from "./file-systems.ts";
import { accessModes, validateModes, volumeModes } from "./persistent-volume-claim-spec.ts";
import { validateCapacity } from "./source-rules.ts";

const VolumeNodeAffinity = struct("core.v1.VolumeNodeAffinity", {
  required: optional(NodeSelector)
    .at(1)
    .required("must specify required node constraints")
    .doc("What nodes must match to reach the volume."),
});

export const PersistentVolumeSpec = struct(
  "core.v1.PersistentVolumeSpec",
  {
    capacity: elided(resourceList(quantity().above(0, "must be greater than zero")))
      .at(1)
      .required()
      .checked(validateCapacity)
      .evenEmpty()
      .doc("The resources of the volume, such as storage: 5Gi."),
    gcePersistentDisk: optional(GCEPersistentDiskVolumeSource)
      .at(1, "persistentVolumeSource")
      .reported("persistentDisk")
      .doc("A disk of Google Compute Engine."),
    awsElasticBlockStore: optional(AWSElasticBlockStoreVolumeSource)
      .at(2, "persistentVolumeSource")
      .doc("The volume is a disk of Amazon EBS."),
    hostPath: optional(HostPathVolumeSource).at(3, "persistentVolumeSource").doc("A file or directory of the node."),
    glusterfs: optional(GlusterfsPersistentVolumeSource)
      .at(4, "persistentVolumeSource")
      .doc("The volume is a Gluster volume."),
    nfs: optional(NFSVolumeSource)
      .at(5, "persistentVolumeSource")
      .doc("The volume is a directory that an NFS server exports."),
    rbd: optional(RBDPersistentVolumeSource)
      .at(6, "persistentVolumeSource")
      .doc("The volume is a Ceph block device (RBD)."),
    iscsi: optional(ISCSIPersistentVolumeSource)
      .at(7, "persistentVolumeSource")
      .doc("The volume is an iSCSI disk, which one node at a time may write."),
    cinder: optional(CinderPersistentVolumeSource)
      .at(8, "persistentVolumeSource")
      .doc("The volume is an OpenStack Cinder volume."),
    cephfs: optional(CephFSPersistentVolumeSource)
      .at(9, "persistentVolumeSource")
      .doc("The volume is a directory of a Ceph file system."),
    fc: optional(FCVolumeSource).at(10, "persistentVolumeSource").doc("The volume is a Fibre Channel disk."),
    flocker: optional(FlockerVolumeSource)
      .at(11, "persistentVolumeSource")
      .doc("The volume is a Flocker dataset. Deprecated."),
    flexVolume: optional(FlexPersistentVolumeSource)
      .at(12, "persistentVolumeSource")
      .doc("A volume of a FlexVolume driver."),
    azureFile: optional(AzureFilePersistentVolumeSource)
      .at(13, "persistentVolumeSource")
      .doc("The volume is a share of Azure Files."),
    vsphereVolume: optional(VsphereVirtualDiskVolumeSource)
      .at(14, "persistentVolumeSource")
      .doc("The volume is a virtual disk of vSphere."),
    quobyte: optional(QuobyteVolumeSource).at(15, "persistentVolumeSource").doc("The volume is a Quobyte volume."),
    azureDisk: optional(AzureDiskVolumeSource)
      .at(16, "persistentVolumeSource")
      .doc("The volume is an Azure data disk."),
    photonPersistentDisk: optional(PhotonPersistentDiskVolumeSource)
      .at(17, "persistentVolumeSource")
      .doc("The volume is a disk of Photon Controller."),
    portworxVolume: optional(PortworxVolumeSource)
      .at(18, "persistentVolumeSource")
      .doc("The volume is a Portworx volume."),
    scaleIO: optional(ScaleIOPersistentVolumeSource)
      .at(19, "persistentVolumeSource")
      .doc("The volume is a ScaleIO volume."),
    local: optional(LocalVolumeSource)
      .at(20, "persistentVolumeSource")
      .doc("A disk or directory of one node; needs nodeAffinity."),
    storageos: optional(StorageOSPersistentVolumeSource)
      .at(21, "persistentVolumeSource")
      .doc("The volume is a StorageOS volume."),
    csi: optional(CSIPersistentVolumeSource)
      .at(22, "persistentVolumeSource")
      .doc("The volume is provided by a CSI driver."),
    accessModes: elided(list(string().oneOf(accessModes).reported("")))
      .at(3)
      .required()
      .from("1.22", (modes) => modes.checked(validateModes))
      .doc("How the volume can be mounted: ReadWriteOnce, ReadOnlyMany or ReadWriteMany."),
    // Unlike other references it has one owner for each member.
    claimRef: optional(granular(ObjectReference, "1.25"))
      .at(4)
      .doc("The claim that the volume is bound to. Absent: it is available."),
    persistentVolumeReclaimPolicy: elided(string())
      .at(5)
      .oneOf(["Delete", "Recycle", "Retain"])
      .doc("What happens to the volume when its claim is deleted: Retain, Delete or Recycle. Default: Retain."),
    storageClassName: elided(string()).at(6).named("subdomain").doc("The storage class of the volume. Empty: none."),
    mountOptions: elided(list(string())).at(7).doc("Mount options, such as ro or soft; not checked."),
    volumeMode: optional(string()).at(8).oneOf(volumeModes).doc("Filesystem or Block. Default: Filesystem."),
    nodeAffinity: optional(VolumeNodeAffinity).at(9).doc("Nodes from which the volume can be reached."),
    volumeAttributesClassName: optional(string())
      .at(10)
      .since("1.29")
      .behind("VolumeAttributesClass")
      .from("1.34", (name) => name.filled().named("subdomain"))
      .doc("The VolumeAttributesClass of the volume; only for volumes of CSI drivers."),
  },
  { inline: { persistentVolumeSource: 2 } },
);
export type PersistentVolumeSpec = Static<typeof PersistentVolumeSpec>;
