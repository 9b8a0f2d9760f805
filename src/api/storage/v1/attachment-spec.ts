/** The fields of volume attachments. */

import {
  bool,
  elided,
  int32,
  map,
  optional,
  type Static,
  string,
  struct,
  time,
} from "../../../machinery/schema/build.ts";
import { type FieldErrors, tooLong } from "../../../machinery/status/field-error.ts";
import { PersistentVolumeSpec } from "../../core/v1/volume/persistent-volume-spec.ts";

export const attachmentMetadataBytesMax = 256 * 1024;
export const errorMessageBytesMax = 1024;

function validateMetadataSize(metadata: Readonly<Record<string, string>>, path: string): FieldErrors {
  const size = Object.entries(metadata).reduce((sum, pair) => sum + Buffer.byteLength(pair.join("")), 0);
  return size > attachmentMetadataBytesMax ? [tooLong(path, size, attachmentMetadataBytesMax)] : [];
}

export const VolumeAttachmentSource = struct("storage.v1.VolumeAttachmentSource", {
  persistentVolumeName: optional(string()).at(1).filled("must not be empty").doc("The name of the persistent volume."),
  inlineVolumeSpec: optional(PersistentVolumeSpec)
    .at(2)
    .unchecked()
    .doc("The volume's own specification, for a migrated in-tree volume without a PersistentVolume."),
});
export type VolumeAttachmentSource = Static<typeof VolumeAttachmentSource>;

export const VolumeAttachmentSpec = struct("storage.v1.VolumeAttachmentSpec", {
  attacher: string().at(1).required().doc("The CSI driver that attaches the volume."),
  source: VolumeAttachmentSource.at(2).doc("The volume to attach. Required."),
  nodeName: string().at(3).named("subdomain").doc("The node to attach the volume to."),
});
export type VolumeAttachmentSpec = Static<typeof VolumeAttachmentSpec>;

const VolumeError = struct("storage.v1.VolumeError", {
  time: elided(time()).at(1).doc("When the error occurred."),
  message: elided(string()).at(2).max(errorMessageBytesMax).doc("What went wrong; must not contain secrets."),
  errorCode: optional(int32()).at(3).since("1.33").atLeast(0).doc("The gRPC code of the error."),
});

export const VolumeAttachmentStatus = struct("storage.v1.VolumeAttachmentStatus", {
  attached: bool().at(1).doc("Whether the volume is attached; set by the attacher."),
  attachmentMetadata: elided(map(string()))
    .at(2)
    .checked(validateMetadataSize)
    .doc("Information from the driver that is needed to mount the volume."),
  attachError: optional(VolumeError).at(3).doc("The last error while the volume was attached. Absent: there was none."),
  detachError: optional(VolumeError).at(4).doc("The last error while detaching."),
});
export type VolumeAttachmentStatus = Static<typeof VolumeAttachmentStatus>;
