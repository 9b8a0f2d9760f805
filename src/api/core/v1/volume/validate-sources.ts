/** Relations between the fields of storage systems that volumes of pods and persistent volumes come from. */

import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import {
  type FieldError,
  type FieldErrors,
  invalid,
  notSupported,
  required,
} from "../../../../machinery/status/field-error.ts";
import {
  FCVolumeSource,
  FlockerVolumeSource,
  ISCSIPersistentVolumeSource,
  ISCSIVolumeSource,
} from "./block-devices.ts";
import { AzureDiskVolumeSource } from "./cloud-disks.ts";
import { QuobyteVolumeSource } from "./file-systems.ts";
import { lunMax } from "./source-rules.ts";

const tenantCharsMax = 64;

export const sourceRelations: readonly Relation[] = [
  on(ISCSIVolumeSource, validateIscsi),
  on(ISCSIPersistentVolumeSource, validateIscsi),
  on(FlockerVolumeSource, validateFlocker),
  on(QuobyteVolumeSource, validateQuobyte),
  on(FCVolumeSource, validateFibreChannel),
  on(AzureDiskVolumeSource, validateAzureDisk),
];

/** What volumes of pods and persistent volumes have in common. */
type Iscsi = Pick<ISCSIVolumeSource, "chapAuthDiscovery" | "chapAuthSession"> & { readonly secretRef?: object };

function validateIscsi({ chapAuthDiscovery, chapAuthSession, secretRef }: Iscsi): FieldErrors {
  return (chapAuthDiscovery || chapAuthSession) && secretRef === undefined ? [required("secretRef")] : [];
}

function validateFlocker({ datasetName = "", datasetUUID = "" }: FlockerVolumeSource): FieldErrors {
  const errors: FieldError[] = [];
  if (datasetName === "" && datasetUUID === "")
    errors.push(required("", "one of datasetName and datasetUUID is required"));
  if (datasetName !== "" && datasetUUID !== "")
    errors.push(invalid("", "resource", "datasetName and datasetUUID can not be specified simultaneously"));
  if (datasetName.includes("/")) errors.push(invalid("datasetName", datasetName, "must not contain '/'"));
  return errors;
}

/** v1.21 checks the registry last, and not at all where the tenant is wrong. */
function validateQuobyte({ registry, tenant = "" }: QuobyteVolumeSource): FieldErrors {
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  if (registry === "") return [required("registry", pairs)];
  if (tenant.length > tenantCharsMax)
    return [required("tenant", `must be a UUID and may not exceed ${tenantCharsMax} characters`)];
  return registry.split(",").every(isHostAndPort) ? [] : [invalid("registry", registry, pairs)];
}

function validateFibreChannel({ targetWWNs: names = [], wwids: ids = [], lun }: FCVolumeSource): FieldErrors {
  const errors: FieldError[] = [];
  if (names.length === 0 && ids.length === 0)
    errors.push(required("targetWWNs", "must specify either targetWWNs or wwids, but not both"));
  if (names.length > 0 && ids.length > 0)
    errors.push(invalid("targetWWNs", names, "targetWWNs and wwids can not be specified simultaneously"));
  if (names.length === 0) return errors;
  if (lun === undefined) errors.push(required("lun", "lun is required if targetWWNs is specified"));
  else if (lun < 0 || lun > lunMax) errors.push(invalid("lun", lun, `must be between 0 and ${lunMax}, inclusive`));
  return errors;
}

const managedUri = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobUri = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

function validateAzureDisk({ kind, diskURI }: AzureDiskVolumeSource): FieldErrors {
  if (kind === undefined) return [];
  const isManaged = kind === "Managed";
  return diskURI.startsWith(isManaged ? "/subscriptions/" : "https://")
    ? []
    : [notSupported("diskURI", diskURI, [isManaged ? managedUri : blobUri])];
}

/** `host:port`, `[::1]:port`; either side may be empty. */
function isHostAndPort(text: string): boolean {
  const bracketed = /^\[([^[\]]*)\]:([^:[\]]*)$/.test(text);
  return bracketed || /^[^:[\]]*:[^:[\]]*$/.test(text);
}
