/** Relations between the fields of storage systems that volumes of pods and persistent volumes come from. */

import { checkedWhen, on, type Relation } from "../../../../machinery/schema/constraints.ts";
import { need, refuse } from "../../../../machinery/schema/relations.ts";
import {
  type FieldErrors,
  invalid,
  noErrors,
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
import { isQuobyteTenant, QuobyteVolumeSource } from "./file-systems.ts";

const hasNames = ({ targetWWNs = [] }: FCVolumeSource): boolean => targetWWNs.length > 0;
const hasIds = ({ wwids = [] }: FCVolumeSource): boolean => wwids.length > 0;
const usesChap = ({
  chapAuthDiscovery,
  chapAuthSession,
}: Pick<ISCSIVolumeSource, "chapAuthDiscovery" | "chapAuthSession">) => Boolean(chapAuthDiscovery || chapAuthSession);

export const sourceRelations: readonly Relation[] = [
  need(ISCSIVolumeSource, "secretRef", "", usesChap),
  need(ISCSIPersistentVolumeSource, "secretRef", "", usesChap),
  on(FlockerVolumeSource, ({ datasetName, datasetUUID }) => {
    if (!datasetName && !datasetUUID) return [required("", "one of datasetName and datasetUUID is required")];
    const problem = "datasetName and datasetUUID can not be specified simultaneously";
    return datasetName && datasetUUID ? [invalid("", "resource", problem)] : noErrors;
  }),
  // v1.21 reports one problem: a missing registry, then a wrong tenant, then a wrong registry.
  checkedWhen(QuobyteVolumeSource, ["tenant"], ({ registry }) => registry !== ""),
  checkedWhen(
    QuobyteVolumeSource,
    ["registry"],
    ({ registry, tenant = "" }) => registry === "" || isQuobyteTenant(tenant),
  ),
  need(
    FCVolumeSource,
    "targetWWNs",
    "must specify either targetWWNs or wwids, but not both",
    (source) => !hasIds(source),
  ),
  refuse(
    FCVolumeSource,
    "targetWWNs",
    "targetWWNs and wwids can not be specified simultaneously",
    (source) => hasNames(source) && hasIds(source),
  ),
  checkedWhen(FCVolumeSource, ["lun"], hasNames),
  need(FCVolumeSource, "lun", "lun is required if targetWWNs is specified", hasNames),
  on(AzureDiskVolumeSource, validateAzureDisk),
];

const managedUri = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobUri = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

function validateAzureDisk({ kind, diskURI }: AzureDiskVolumeSource): FieldErrors {
  if (kind === undefined) return noErrors;
  const isManaged = kind === "Managed";
  return diskURI.startsWith(isManaged ? "/subscriptions/" : "https://")
    ? noErrors
    : [notSupported("diskURI", diskURI, [isManaged ? managedUri : blobUri])];
}
