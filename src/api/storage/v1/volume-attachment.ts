/** A VolumeAttachment requests that a volume is attached to a node. */

import { bool, elided, map, optional, type Static, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { PersistentVolumeSpec } from "../../core/v1/volume/persistent-volume-spec.ts";
import { keepMetadata } from "../../status-only.ts";
import { validateAttachment, validateAttachmentUpdate, validateNewAttachment } from "./validate-volume-attachment.ts";

export const VolumeAttachmentSource = struct("storage.v1.VolumeAttachmentSource", {
  persistentVolumeName: optional(string()).at(1).doc("The name of the persistent volume."),
  inlineVolumeSpec: optional(PersistentVolumeSpec)
    .at(2)
    .doc("The volume itself, if there is no persistent volume for it; used for migrated in-tree volumes."),
});
export type VolumeAttachmentSource = Static<typeof VolumeAttachmentSource>;

export const VolumeAttachmentSpec = struct("storage.v1.VolumeAttachmentSpec", {
  attacher: string().at(1).doc("The CSI driver that attaches the volume."),
  source: VolumeAttachmentSource.at(2).doc("The volume to attach. Required."),
  nodeName: string().at(3).doc("The node to attach the volume to."),
});
export type VolumeAttachmentSpec = Static<typeof VolumeAttachmentSpec>;

export const VolumeError = struct("storage.v1.VolumeError", {
  time: elided(time()).at(1).doc("When the error occurred."),
  message: elided(string()).at(2).doc("What went wrong; must not contain secrets."),
});
export type VolumeError = Static<typeof VolumeError>;

export const VolumeAttachmentStatus = struct("storage.v1.VolumeAttachmentStatus", {
  attached: bool().at(1).doc("Whether the volume is attached; set by the attacher."),
  attachmentMetadata: elided(map(string()))
    .at(2)
    .doc("Information from the driver that is needed to mount the volume."),
  attachError: optional(VolumeError).at(3).doc("The last error while the volume was attached. Absent: there was none."),
  detachError: optional(VolumeError).at(4).doc("The last error while detaching."),
});
export type VolumeAttachmentStatus = Static<typeof VolumeAttachmentStatus>;

export const VolumeAttachment = kind({
  group: "storage.orch.io",
  version: "v1",
  kind: "VolumeAttachment",
  resource: "volumeattachments",
  scope: "Cluster",
  doc: "A VolumeAttachment requests that a volume is attached to a node.",
  fields: {
    spec: VolumeAttachmentSpec.at(2).doc("The desired state of the volume attachment, set by its users."),
    status: elided(VolumeAttachmentStatus)
      .at(3)
      .doc("The most recently observed state of the volume attachment, written by the system."),
  },
  unconditionalUpdate: false,
  returnsDeleted: true,
  validate: (attachment, environment) => [
    ...validateAttachment(attachment, environment),
    ...validateNewAttachment(attachment),
  ],
  validateUpdate: validateAttachmentUpdate,
  columns: (column) => [
    nameColumn,
    column("Attacher", ({ spec }) => spec.attacher, { format: "name" }),
    column("PV", ({ spec }) => spec.source.persistentVolumeName ?? ""),
    column("Node", ({ spec }) => spec.nodeName),
    column("Attached", (attachment) => attachment.status?.attached ?? false, { type: "boolean" }),
    ageColumn,
  ],
  subresources: [status({ merge: keepMetadata, resets: ["metadata"], validate: validateAttachmentUpdate })],
});
export type VolumeAttachment = Static<typeof VolumeAttachment>;
