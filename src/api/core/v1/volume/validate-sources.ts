/** Checks of the storage systems that volumes of pods and persistent volumes come from, by the name of the source. */

import { isDns1123Label, isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { type FieldError, invalid, notSupported, required, tooLong } from "../../../../machinery/status/field-error.ts";
import {
  missing,
  validateLabelName,
  validateLun,
  validatePartition,
  validateSecretName,
} from "../pod/source-fields.ts";
import type {
  FCVolumeSource,
  FlockerVolumeSource,
  ISCSIPersistentVolumeSource,
  PortworxVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSPersistentVolumeSource,
  StorageOSVolumeSource,
} from "./block-devices.ts";
import type {
  AWSElasticBlockStoreVolumeSource,
  CinderPersistentVolumeSource,
  CinderVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./cloud-disks.ts";
import type { CSIPersistentVolumeSource, FlexVolumeSource } from "./drivers.ts";
import type {
  AzureFilePersistentVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  GlusterfsPersistentVolumeSource,
  GlusterfsVolumeSource,
  HostPathVolumeSource,
  LocalVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
} from "./file-systems.ts";
import { validateAzureDisk } from "./validate-azure-disk.ts";
import { validateIscsi } from "./validate-iscsi.ts";
import { hasBackstep } from "./validate-path.ts";

const driverCharsMax = 63;
const tenantCharsMax = 64;

const noBackstep = (text: string, path: string): FieldError[] =>
  hasBackstep(text) ? [invalid(path, text, "must not contain '..'")] : [];

/** Where v1.21 reports what is wrong with a source, if not under its name. */
export const checkedNames: Readonly<Record<string, string>> = { gcePersistentDisk: "persistentDisk" };

type Check = (source: never, path: string, environment: Environment) => FieldError[];

export const sourceChecks: Readonly<Record<string, Check>> = {
  hostPath(source: HostPathVolumeSource, path) {
    if (source.path === "") return [required(`${path}.path`)];
    const types = ["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"];
    return [
      ...noBackstep(source.path, `${path}.path`),
      ...(source.type === undefined || types.includes(source.type)
        ? []
        : [notSupported(`${path}.type`, source.type, types)]),
    ];
  },
  gcePersistentDisk: (source: GCEPersistentDiskVolumeSource, path) => [
    ...missing(source, path, "pdName"),
    ...validatePartition(source.partition, path),
  ],
  awsElasticBlockStore: (source: AWSElasticBlockStoreVolumeSource, path) => [
    ...missing(source, path, "volumeID"),
    ...validatePartition(source.partition, path),
  ],
  nfs: (source: NFSVolumeSource, path) => [
    ...missing(source, path, "server", "path"),
    ...(source.path.startsWith("/") ? [] : [invalid(`${path}.path`, source.path, "must be an absolute path")]),
  ],
  iscsi: validateIscsi,
  glusterfs: (source: GlusterfsVolumeSource, path) => missing(source, path, "endpoints", "path"),
  flocker({ datasetName = "", datasetUUID = "" }: FlockerVolumeSource, path) {
    const errors: FieldError[] = [];
    if (datasetName === "" && datasetUUID === "")
      errors.push(required(path, "one of datasetName and datasetUUID is required"));
    if (datasetName !== "" && datasetUUID !== "")
      errors.push(invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
    if (datasetName.includes("/")) errors.push(invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
    return errors;
  },
  rbd: (source: RBDVolumeSource, path) => missing(source, path, "monitors", "image"),
  cinder: (source: CinderVolumeSource, path) => [
    ...missing(source, path, "volumeID"),
    ...validateSecretName(source.secretRef, path),
  ],
  cephfs: (source: CephFSVolumeSource, path) => missing(source, path, "monitors"),
  quobyte({ registry, tenant = "", volume }: QuobyteVolumeSource, path) {
    const errors = missing({ volume }, path, "volume");
    const pairs = "must be a host:port pair or multiple pairs separated by commas";
    if (registry === "") errors.push(required(`${path}.registry`, pairs));
    else if (tenant.length > tenantCharsMax) {
      errors.push(required(`${path}.tenant`, `must be a UUID and may not exceed ${tenantCharsMax} characters`));
    } else if (!registry.split(",").every(isHostAndPort)) errors.push(invalid(`${path}.registry`, registry, pairs));
    return errors;
  },
  fc({ targetWWNs: names = [], wwids: ids = [], lun }: FCVolumeSource, path) {
    const errors: FieldError[] = [];
    if (names.length === 0 && ids.length === 0)
      errors.push(required(`${path}.targetWWNs`, "must specify either targetWWNs or wwids, but not both"));
    if (names.length > 0 && ids.length > 0)
      errors.push(invalid(`${path}.targetWWNs`, names, "targetWWNs and wwids can not be specified simultaneously"));
    if (names.length === 0) return errors;
    if (lun === undefined) errors.push(required(`${path}.lun`, "lun is required if targetWWNs is specified"));
    else errors.push(...validateLun(lun, path));
    return errors;
  },
  flexVolume: (source: FlexVolumeSource, path, environment) => [
    ...missing(source, path, "driver"),
    ...Object.keys(source.options ?? {})
      .filter((key) => isReserved(key, environment))
      .map((key) => invalid(`${path}.options[${key}]`, key, "the server's own names are reserved")),
  ],
  azureFile: (source: AzureFileVolumeSource, path) => missing(source, path, "secretName", "shareName"),
  vsphereVolume: (source: VsphereVirtualDiskVolumeSource, path) => missing(source, path, "volumePath"),
  photonPersistentDisk: (source: PhotonPersistentDiskVolumeSource, path) => missing(source, path, "pdID"),
  portworxVolume: (source: PortworxVolumeSource, path) => missing(source, path, "volumeID"),
  azureDisk: validateAzureDisk,
  scaleIO: (source: ScaleIOVolumeSource, path) => missing(source, path, "gateway", "system", "volumeName"),
  storageos: (source: StorageOSVolumeSource, path) => [
    ...missing(source, path, "volumeName"),
    ...validateLabelName(source.volumeName, `${path}.volumeName`),
    ...validateLabelName(source.volumeNamespace, `${path}.volumeNamespace`),
    ...validateSecretName(source.secretRef, path),
  ],
};

/** A source of a persistent volume, which is in no namespace and so names those of what it needs. */
export const persistentSourceChecks: Readonly<Record<string, Check>> = {
  ...sourceChecks,
  local(source: LocalVolumeSource, path) {
    return source.path === "" ? [required(`${path}.path`)] : noBackstep(source.path, `${path}.path`);
  },
  glusterfs: (source: GlusterfsPersistentVolumeSource, path) => [
    ...missing(source, path, "endpoints", "path"),
    ...(source.endpointsNamespace === undefined ? [] : isDns1123Label(source.endpointsNamespace)).map((problem) =>
      invalid(`${path}.endpointsNamespace`, source.endpointsNamespace, problem),
    ),
  ],
  iscsi: (source: ISCSIPersistentVolumeSource, path) => [
    ...validateIscsi(source, path),
    ...validateSecretName(source.secretRef, path),
  ],
  cinder: (source: CinderPersistentVolumeSource, path) => [
    ...missing(source, path, "volumeID"),
    ...validateSecretName(source.secretRef, path),
    ...(source.secretRef ? missing(source.secretRef, `${path}.secretRef`, "namespace") : []),
  ],
  azureFile: (source: AzureFilePersistentVolumeSource, path) => [
    ...missing(source, path, "secretName", "shareName"),
    ...(source.secretNamespace === "" ? [required(`${path}.secretNamespace`)] : []),
  ],
  storageos: (source: StorageOSPersistentVolumeSource, path) => [
    ...missing(source, path, "volumeName"),
    ...validateLabelName(source.volumeName, `${path}.volumeName`),
    ...validateLabelName(source.volumeNamespace, `${path}.volumeNamespace`),
    ...validateSecretName(source.secretRef, path),
    ...(source.secretRef ? missing(source.secretRef, `${path}.secretRef`, "namespace") : []),
  ],
  csi: (source: CSIPersistentVolumeSource, path) => [
    ...validateDriverName(source.driver, `${path}.driver`),
    ...missing(source, path, "volumeHandle"),
    ...validateDriverSecret(source.controllerPublishSecretRef, path, "controllerPublishSecretRef"),
    ...validateDriverSecret(source.controllerExpandSecretRef, path, "controllerExpandSecretRef"),
    // v1.21 has a space after this name, and does not check the reference for staging.
    ...validateDriverSecret(source.nodePublishSecretRef, path, "nodePublishSecretRef "),
  ],
};

export function validateDriverName(driver: string, path: string): FieldError[] {
  const errors = driver === "" ? [required(path)] : [];
  if (driver.length > driverCharsMax) errors.push(tooLong(path, driver, driverCharsMax));
  return [...errors, ...isDns1123Subdomain(driver.toLowerCase()).map((problem) => invalid(path, driver, problem))];
}

/** v1.21 reports invalid names under the path of the volume. */
function validateDriverSecret(
  ref: { readonly name?: string; readonly namespace?: string } | undefined,
  path: string,
  field: string,
): FieldError[] {
  if (ref === undefined) return [];
  return [
    ...missing(ref, `${path}.${field}`, "name", "namespace"),
    ...validateLabelName(ref.name, `${path}.name`),
    ...validateLabelName(ref.namespace, `${path}.namespace`),
  ];
}

/** Whether an option is in a domain of the product. */
function isReserved(option: string, { vocabulary }: Environment): boolean {
  const domain = `.${(option.includes("/") ? option.slice(0, option.indexOf("/")) : option).toLowerCase()}`;
  const ofGroups = vocabulary.group("storage.orch.io").slice("storage.".length);
  return [vocabulary.word("orch.io"), ofGroups].some((own) => domain.endsWith(`.${own}`));
}

/** `host:port`, `[::1]:port`; either side may be empty. */
function isHostAndPort(text: string): boolean {
  const bracketed = /^\[([^[\]]*)\]:([^:[\]]*)$/.test(text);
  return bracketed || /^[^:[\]]*:[^:[\]]*$/.test(text);
}
