/** Relations between the fields of attachments, and rules that hold for new ones only. */

import { optional, string, struct } from "../../../machinery/schema/build.ts";
import { checkedWhen, checker, on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldErrors, forbidden, noErrors, required } from "../../../machinery/status/field-error.ts";
import { checkInlineVolumeSpec } from "../../core/v1/volume/inline-volume-spec.ts";
import { validateDriverName } from "../../core/v1/volume/source-rules.ts";
import { immutable } from "../../validation.ts";
import { VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus } from "./attachment-spec.ts";

interface AttachmentLike {
  readonly metadata: ObjectMeta;
  readonly spec: VolumeAttachmentSpec;
  readonly status?: VolumeAttachmentStatus;
}

export const attachmentRelations: readonly Relation[] = [
  checkedWhen(
    VolumeAttachmentSource,
    ["persistentVolumeName"],
    ({ inlineVolumeSpec }) => inlineVolumeSpec === undefined,
  ),
  on(VolumeAttachmentSource, ({ persistentVolumeName: name, inlineVolumeSpec: inline }, environment) => {
    if (inline === undefined)
      return name === undefined ? [required("", "must have inlineVolumeSpec or persistentVolumeName")] : noErrors;
    return name === undefined
      ? checkInlineVolumeSpec(inline, "inlineVolumeSpec", environment)
      : [forbidden("", "must have exactly one of inlineVolumeSpec and persistentVolumeName")];
  }),
];

const checkSpec = checker(VolumeAttachmentSpec, attachmentRelations);
const checkStatus = checker(VolumeAttachmentStatus);

/** What v1beta1 does not ask of new attachments. */
export const checkNewAttachment = checker<object>(
  struct("", {
    spec: struct("", {
      attacher: string().required().checked(validateDriverName).evenEmpty(),
      source: struct("", { persistentVolumeName: optional(string()).named("subdomain") }),
    }),
  }),
);

export const validateAttachmentStatus = ({ status }: AttachmentLike, environment: Environment): FieldErrors =>
  checkStatus(status, "status", environment);

export const validateAttachmentUpdate = (
  attachment: AttachmentLike,
  old: AttachmentLike,
  environment: Environment,
): FieldErrors => [
  ...checkSpec(attachment.spec, "spec", environment),
  ...checkStatus(attachment.status, "status", environment),
  ...immutable("spec", attachment.spec, old.spec),
];
