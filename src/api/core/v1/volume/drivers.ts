/** Volumes that a driver provides, which an administrator installs. */

import { bool, elided, map, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";
import { LocalObjectReference, SecretReference } from "../references.ts";
import { validateDriverName, validateDriverSecret, validateFlexOptions, validateInlineSecret } from "./source-rules.ts";

export const CSIPersistentVolumeSource = struct("core.v1.CSIPersistentVolumeSource", {
  driver: string()
    .at(1)
    .required()
    .checked(validateDriverName)
    .before("1.33", (driver) => driver.evenEmpty())
    .doc("The name of the CSI driver."),
  volumeHandle: string().at(2).required().doc("The name of the volume in the driver; it never changes."),
  readOnly: elided(bool()).at(3).doc("Whether the volume is mounted read-only. Default: false."),
  fsType: elided(string())
    .at(4)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  volumeAttributes: elided(map(string())).at(5).doc("Attributes of the volume, passed to the driver."),
  controllerPublishSecretRef: optional(SecretReference)
    .at(6)
    .checked(validateDriverSecret)
    .doc("The secret passed to the driver when the volume is attached or detached."),
  nodeStageSecretRef: optional(SecretReference)
    .at(7)
    .doc("The secret passed to the driver when the volume is staged on a node."),
  nodePublishSecretRef: optional(SecretReference)
    .at(8)
    .reported("nodePublishSecretRef ")
    .checked(validateDriverSecret)
    .doc("The secret passed to the driver when the volume is mounted for a pod."),
  controllerExpandSecretRef: optional(SecretReference)
    .at(9)
    .checked(validateDriverSecret)
    .doc("The secret passed to the driver when the volume is expanded."),
  nodeExpandSecretRef: optional(SecretReference)
    .at(10)
    .since("1.25")
    .behind("CSINodeExpandSecret")
    .checked(validateDriverSecret)
    .doc("The secret passed to the driver when the volume is expanded on a node."),
});
export type CSIPersistentVolumeSource = Static<typeof CSIPersistentVolumeSource>;

export const CSIVolumeSource = struct("core.v1.CSIVolumeSource", {
  driver: string()
    .at(1)
    .required()
    .checked(validateDriverName)
    .before("1.33", (driver) => driver.evenEmpty())
    .doc("The name of the CSI driver."),
  readOnly: optional(bool()).at(2).doc("Whether the volume is mounted read-only. Default: false."),
  fsType: optional(string()).at(3).doc("The file system to mount. Absent: the driver decides."),
  volumeAttributes: elided(map(string())).at(4).doc("Attributes of the volume, passed to the driver."),
  nodePublishSecretRef: optional(LocalObjectReference)
    .at(5)
    .reported("nodePublishSecretRef ")
    .checked(validateInlineSecret)
    .doc("The secret, in the namespace of the pod, passed to the driver when the volume is mounted."),
});
export type CSIVolumeSource = Static<typeof CSIVolumeSource>;

export const FlexPersistentVolumeSource = struct("core.v1.FlexPersistentVolumeSource", {
  driver: string().at(1).required().doc("The name of the driver."),
  fsType: elided(string()).at(2).doc("The file system to mount. Absent: the driver decides."),
  secretRef: optional(SecretReference)
    .at(3)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  options: elided(map(string())).at(5).checked(validateFlexOptions).doc("Options passed to the driver."),
});
export type FlexPersistentVolumeSource = Static<typeof FlexPersistentVolumeSource>;

export const FlexVolumeSource = struct("core.v1.FlexVolumeSource", {
  driver: string().at(1).required().doc("The name of the driver."),
  fsType: elided(string())
    .at(2)
    .doc("The file system to mount, such as ext4 or xfs; the node must support it. Absent: ext4."),
  secretRef: optional(LocalObjectReference)
    .at(3)
    .doc("The secret with the credentials for the storage system. Absent: none are used."),
  readOnly: elided(bool()).at(4).doc("Whether the volume is mounted read-only. Default: false."),
  options: elided(map(string())).at(5).checked(validateFlexOptions).doc("Options passed to the driver."),
});
export type FlexVolumeSource = Static<typeof FlexVolumeSource>;
