/** Checks of attachments. */

import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { type FieldError, forbidden, invalid, required, tooLong } from "../../../machinery/status/field-error.ts";
import { validateInlineVolumeSpec } from "../../core/v1/volume/validate-persistent-volume.ts";
import { validateDriverName } from "../../core/v1/volume/validate-sources.ts";
import { immutable } from "../../validation.ts";
import type { VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus } from "./volume-attachment.ts";

export const attachmentMetadataBytesMax = 256 * 1024;
export const errorMessageBytesMax = 1024;

interface AttachmentLike {
  readonly metadata: ObjectMeta;
  readonly spec: VolumeAttachmentSpec;
  readonly status?: VolumeAttachmentStatus;
}

export function validateAttachment({ spec, status }: AttachmentLike, environment: Environment): FieldError[] {
  return [
    ...(spec.attacher === "" ? [required("spec.attacher")] : []),
    ...validateSource(spec.source, "spec.source", environment),
    ...isDns1123Subdomain(spec.nodeName).map((problem) => invalid("spec.nodeName", spec.nodeName, problem)),
    ...(status === undefined ? [] : validateStatus(status)),
  ];
}

/** Rules for new attachments that v1beta1 does not have. */
export function validateNewAttachment({ spec }: AttachmentLike): FieldError[] {
  const name = spec.source.persistentVolumeName;
  return [
    ...validateDriverName(spec.attacher, "spec.attacher"),
    ...(name === undefined ? [] : isDns1123Subdomain(name)).map((problem) =>
      invalid("spec.source.persistentVolumeName", name, problem),
    ),
  ];
}

export function validateAttachmentUpdate(
  attachment: AttachmentLike,
  old: AttachmentLike,
  environment: Environment,
): FieldError[] {
  return [...validateAttachment(attachment, environment), ...immutable("spec", attachment.spec, old.spec)];
}

function validateSource(
  { persistentVolumeName: name, inlineVolumeSpec }: VolumeAttachmentSource,
  path: string,
  environment: Environment,
): FieldError[] {
  if (inlineVolumeSpec !== undefined && name !== undefined)
    return [forbidden(path, "must have exactly one of inlineVolumeSpec and persistentVolumeName")];
  if (inlineVolumeSpec !== undefined)
    return validateInlineVolumeSpec(inlineVolumeSpec, `${path}.inlineVolumeSpec`, environment);
  if (name === undefined) return [required(path, "must have inlineVolumeSpec or persistentVolumeName")];
  return name === "" ? [required(`${path}.persistentVolumeName`, "must not be empty")] : [];
}

function validateStatus(status: VolumeAttachmentStatus): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(status.attachmentMetadata ?? {}))
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (size > attachmentMetadataBytesMax)
    errors.push(tooLong("status.attachmentMetadata", size, attachmentMetadataBytesMax));
  for (const field of ["attachError", "detachError"] as const) {
    const message = status[field]?.message ?? "";
    if (Buffer.byteLength(message) > errorMessageBytesMax)
      errors.push(tooLong(`status.${field}.message`, message, errorMessageBytesMax));
  }
  return errors;
}
