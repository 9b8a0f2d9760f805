/** Checks of disks of Azure. */

import { type FieldError, notSupported } from "../../../../machinery/status/field-error.ts";
import { missing } from "../pod/source-fields.ts";
import type { AzureDiskVolumeSource } from "./cloud-disks.ts";

const cachings = ["None", "ReadOnly", "ReadWrite"];
const kinds = ["Shared", "Dedicated", "Managed"];
const managedUri = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobUri = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export function validateAzureDisk(source: AzureDiskVolumeSource, path: string): FieldError[] {
  const { cachingMode, kind, diskURI } = source;
  const errors = missing(source, path, "diskName", "diskURI");
  if (cachingMode !== undefined && !cachings.includes(cachingMode)) {
    errors.push(notSupported(`${path}.cachingMode`, cachingMode, cachings));
  }
  if (kind === undefined) return errors;
  if (!kinds.includes(kind)) errors.push(notSupported(`${path}.kind`, kind, kinds));
  const isManaged = kind === "Managed";
  if (!diskURI.startsWith(isManaged ? "/subscriptions/" : "https://")) {
    errors.push(notSupported(`${path}.diskURI`, diskURI, [isManaged ? managedUri : blobUri]));
  }
  return errors;
}
