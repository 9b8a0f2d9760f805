/** Checks of the storage systems that volumes of pods and persistent volumes come from, by the name of the source. */

import { isDns1123Subdomain, isQualifiedName } from "../../../machinery/meta/names.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { invalid, notSupported, required, tooLong } from "../../../machinery/status/field-error.ts";
import { hasBackstep } from "./validate-container.ts";
import type * as sources from "./volume-sources.ts";

const driverCharsMax = 63;
const partitionMax = 255;

/** Those of `fields` that are empty. */
const missing = (source: object, path: string, ...fields: string[]): FieldError[] =>
  fields
    .filter((field) => isEmpty((source as Record<string, unknown>)[field]))
    .map((field) => required(`${path}.${field}`));
const isEmpty = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);

const partition = (value: number | undefined, path: string): FieldError[] =>
  value !== undefined && (value < 0 || value > partitionMax)
    ? [invalid(`${path}.partition`, value, `must be between 0 and ${partitionMax}, inclusive`)]
    : [];

type Check = (source: never, path: string) => FieldError[];

export const sourceChecks: Readonly<Record<string, Check>> = {
  hostPath(source: sources.HostPathVolumeSource, path) {
    if (source.path === "") return [required(`${path}.path`)];
    const errors: FieldError[] = hasBackstep(source.path)
      ? [invalid(`${path}.path`, source.path, "must not contain '..'")]
      : [];
    const types = ["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"];
    if (source.type !== undefined && !types.includes(source.type))
      errors.push(notSupported(`${path}.type`, source.type, types));
    return errors;
  },
  local(source: sources.LocalVolumeSource, path) {
    if (source.path === "") return [required(`${path}.path`)];
    return hasBackstep(source.path) ? [invalid(`${path}.path`, source.path, "must not contain '..'")] : [];
  },
  gcePersistentDisk: (source: sources.GCEPersistentDiskVolumeSource, path) => [
    ...missing(source, path, "pdName"),
    ...partition(source.partition, path),
  ],
  awsElasticBlockStore: (source: sources.AWSElasticBlockStoreVolumeSource, path) => [
    ...missing(source, path, "volumeID"),
    ...partition(source.partition, path),
  ],
  nfs(source: sources.NFSVolumeSource, path) {
    const errors = missing(source, path, "server", "path");
    if (source.path !== "" && !source.path.startsWith("/"))
      errors.push(invalid(`${path}.path`, source.path, "must be an absolute path"));
    return errors;
  },
  iscsi: (source: sources.ISCSIVolumeSource, path) => checkIscsi(source, path),
  glusterfs(source: sources.GlusterfsPersistentVolumeSource, path) {
    const errors = missing(source, path, "endpoints", "path");
    if (source.endpointsNamespace === "")
      errors.push(invalid(`${path}.endpointsNamespace`, "", "must be nil or a namespace"));
    return errors;
  },
  flocker(source: sources.FlockerVolumeSource, path) {
    const { datasetName = "", datasetUUID = "" } = source;
    if (datasetName === "" && datasetUUID === "")
      return [required(path, "one of datasetName and datasetUUID is required")];
    if (datasetName !== "" && datasetUUID !== "")
      return [invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")];
    return datasetName.includes("/") ? [invalid(`${path}.datasetName`, datasetName, "must not contain '/'")] : [];
  },
  rbd: (source: sources.RBDVolumeSource, path) => missing(source, path, "monitors", "image"),
  cinder: (source: sources.CinderVolumeSource, path) => missing(source, path, "volumeID"),
  cephfs: (source: sources.CephFSVolumeSource, path) => missing(source, path, "monitors"),
  quobyte(source: sources.QuobyteVolumeSource, path) {
    const errors: FieldError[] = [];
    if (source.registry === "")
      errors.push(required(`${path}.registry`, "must be a host:port pair or multiple pairs separated by commas"));
    else if ((source.tenant ?? "").length >= 65)
      errors.push(required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
    else if (!source.registry.split(",").every((pair) => /^[^:]+:[^:]+$/.test(pair))) {
      errors.push(
        invalid(`${path}.registry`, source.registry, "must be a host:port pair or multiple pairs separated by commas"),
      );
    }
    return [...errors, ...missing(source, path, "volume")];
  },
  fc(source: sources.FCVolumeSource, path) {
    const names = source.targetWWNs ?? [];
    const ids = source.wwids ?? [];
    if (names.length === 0 && ids.length === 0)
      return [required(`${path}.targetWWNs`, "must specify either targetWWNs or wwids, but not both")];
    if (names.length > 0 && ids.length > 0)
      return [invalid(`${path}.targetWWNs`, names, "targetWWNs and wwids can not be specified simultaneously")];
    if (names.length === 0) return [];
    if (source.lun === undefined) return [required(`${path}.lun`, "lun is required if targetWWNs is specified")];
    return source.lun < 0 || source.lun > 255
      ? [invalid(`${path}.lun`, source.lun, "must be between 0 and 255, inclusive")]
      : [];
  },
  azureFile(source: sources.AzureFilePersistentVolumeSource, path) {
    const errors = missing(source, path, "secretName", "shareName");
    if (source.secretNamespace === "") errors.push(required(`${path}.secretNamespace`));
    return errors;
  },
  vsphereVolume: (source: sources.VsphereVirtualDiskVolumeSource, path) => missing(source, path, "volumePath"),
  photonPersistentDisk: (source: sources.PhotonPersistentDiskVolumeSource, path) => missing(source, path, "pdID"),
  portworxVolume: (source: sources.PortworxVolumeSource, path) => missing(source, path, "volumeID"),
  azureDisk: (source: sources.AzureDiskVolumeSource, path) => checkAzureDisk(source, path),
  storageos(source: { volumeName?: string; volumeNamespace?: string; secretRef?: { name?: string } }, path) {
    const errors = missing(source, path, "volumeName");
    if (source.secretRef && !source.secretRef.name) errors.push(required(`${path}.secretRef.name`));
    return errors;
  },
  scaleIO: (source: sources.ScaleIOVolumeSource, path) => missing(source, path, "gateway", "system", "volumeName"),
  flexVolume(source: sources.FlexVolumeSource, path) {
    const errors = missing(source, path, "driver");
    if (source.driver !== "")
      errors.push(...isQualifiedName(source.driver).map((p) => invalid(`${path}.driver`, source.driver, p)));
    return errors;
  },
  csi(
    source: sources.CSIPersistentVolumeSource & { nodePublishSecretRef?: { name?: string; namespace?: string } },
    path,
  ) {
    return [...validateDriverName(source.driver, `${path}.driver`), ...checkCsiSecrets(source, path)];
  },
};

export function validateDriverName(driver: string, path: string): FieldError[] {
  const errors = driver === "" ? [required(path)] : [];
  if (driver.length > driverCharsMax) errors.push(tooLong(path, driver, driverCharsMax));
  return [...errors, ...isDns1123Subdomain(driver.toLowerCase()).map((problem) => invalid(path, driver, problem))];
}

/** Inline volumes name one secret of the pod's namespace; persistent volumes several, anywhere. */
function checkCsiSecrets(source: object, path: string): FieldError[] {
  const persistent = "volumeHandle" in source;
  const errors: FieldError[] = [];
  if (persistent && !(source as { volumeHandle?: string }).volumeHandle) errors.push(required(`${path}.volumeHandle`));
  for (const [field, ref] of Object.entries(source) as [string, { name?: string; namespace?: string }][]) {
    if (!field.endsWith("SecretRef") || !ref) continue;
    if (!ref.name) errors.push(required(`${path}.${field}.name`));
    if (persistent && !ref.namespace) errors.push(required(`${path}.${field}.namespace`));
  }
  return errors;
}

function checkIscsi(source: sources.ISCSIVolumeSource, path: string): FieldError[] {
  const errors = missing(source, path, "targetPortal", "iqn");
  const { iqn } = source;
  if (iqn !== "") {
    const known = /^(iqn|eui|naa)\./.exec(iqn)?.[1];
    const good =
      (known === "iqn" && /^iqn\.\d{4}-\d{2}\.([a-z0-9.-]+)(:[^,;*&$|\s]+)?$/.test(iqn)) ||
      (known === "eui" && /^eui\.[0-9A-Fa-f]{16}$/.test(iqn)) ||
      (known === "naa" && /^naa\.[0-9A-Fa-f]{32}$/.test(iqn));
    if (!good) errors.push(invalid(`${path}.iqn`, iqn, "must be valid format"));
  }
  if (source.lun < 0 || source.lun > 255)
    errors.push(invalid(`${path}.lun`, source.lun, "must be between 0 and 255, inclusive"));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && source.secretRef === undefined) {
    errors.push(required(`${path}.secretRef`));
  }
  if (source.secretRef && !source.secretRef.name) errors.push(required(`${path}.secretRef.name`));
  if (source.initiatorName !== undefined && !/^(iqn|eui|naa)\./.test(source.initiatorName)) {
    errors.push(invalid(`${path}.initiatorname`, source.initiatorName, "must be valid format"));
  }
  return errors;
}

function checkAzureDisk(source: sources.AzureDiskVolumeSource, path: string): FieldError[] {
  const errors = missing(source, path, "diskName", "diskURI");
  const cachings = ["None", "ReadOnly", "ReadWrite"];
  const kinds = ["Shared", "Dedicated", "Managed"];
  if (source.cachingMode !== undefined && !cachings.includes(source.cachingMode)) {
    errors.push(notSupported(`${path}.cachingMode`, source.cachingMode, cachings));
  }
  if (source.kind !== undefined && !kinds.includes(source.kind))
    errors.push(notSupported(`${path}.kind`, source.kind, kinds));
  if (source.diskURI === "") return errors;
  if (source.kind === "Managed" && !source.diskURI.startsWith("/subscriptions/")) {
    errors.push(
      notSupported(`${path}.diskURI`, source.diskURI, [
        "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
      ]),
    );
  }
  if (source.kind !== "Managed" && !source.diskURI.startsWith("https://")) {
    errors.push(
      notSupported(`${path}.diskURI`, source.diskURI, [
        "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
      ]),
    );
  }
  return errors;
}
