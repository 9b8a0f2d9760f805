/** A VolumeAttachment requests that a volume is attached to a node. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { keepMetadata } from "../../status-only.ts";
import { VolumeAttachmentSpec, VolumeAttachmentStatus } from "./attachment-spec.ts";
import {
  attachmentRelations,
  checkNewAttachment,
  validateAttachmentStatus,
  validateAttachmentUpdate,
} from "./validate-volume-attachment.ts";

export const VolumeAttachment = kind({
  group: "storage.orch.io",
  version: "v1",
  kind: "VolumeAttachment",
  resource: "volumeattachments",
  scope: "Cluster",
  doc: "A VolumeAttachment requests that a volume is attached to a node.",
  fields: {
    spec: VolumeAttachmentSpec.at(2).immutable().doc("The desired state of the volume attachment, set by its users."),
    status: elided(VolumeAttachmentStatus)
      .at(3)
      .doc("The most recently observed state of the volume attachment, written by the system."),
  },
  unconditionalUpdate: false,
  returnsDeleted: true,
  relations: attachmentRelations,
  validate: (attachment, environment) => [
    ...validateAttachmentStatus(attachment, environment),
    ...checkNewAttachment(attachment, "", environment),
  ],
  validateUpdate: (attachment, _old, environment) => validateAttachmentStatus(attachment, environment),
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
