/** Checks of persistent volumes. */

import { posix } from "node:path";
import { isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../../machinery/status/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../../../machinery/status/field-error.ts";
import { compareAmounts } from "../../../../machinery/values/quantity.ts";
import { immutable } from "../../../validation.ts";
import { validateNodeSelector } from "../pod/validate-scheduling.ts";
import type { PersistentVolumeSpec } from "./persistent-volume-spec.ts";
import { accessModes, volumeModes } from "./validate-claim-spec.ts";
import { checkedNames, persistentSourceChecks } from "./validate-sources.ts";

const path = "spec";
const iscsiNameCharsMax = 64;
const reclaimPolicies = ["Delete", "Recycle", "Retain"];

/** In the order of the checks: of several the first is used. */
const sources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

/** Those that are mounted with options; the field for them is not checked. */
const mountedWithOptions = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const satisfies readonly (typeof sources)[number][];

interface VolumeLike {
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeSpec;
}

export const validateVolume = ({ metadata, spec = {} }: VolumeLike, environment: Environment): FieldError[] => [
  ...validateModes(spec, path),
  ...validateCapacity(spec.capacity ?? {}, `${path}.capacity`),
  ...validateReclaimPolicy(spec, `${path}.persistentVolumeReclaimPolicy`),
  ...validateNodeAffinity(spec.nodeAffinity, `${path}.nodeAffinity`),
  ...validateSources(spec, path, environment),
  ...validateInitiator(spec.iscsi, metadata.name ?? "", `${path}.iscsi.targetportal`),
  ...(spec.storageClassName ? isDns1123Subdomain(spec.storageClassName) : []).map((problem) =>
    invalid(`${path}.storageClassName`, spec.storageClassName, problem),
  ),
  ...(spec.volumeMode === undefined || volumeModes.includes(spec.volumeMode)
    ? []
    : [notSupported(`${path}.volumeMode`, spec.volumeMode, volumeModes)]),
  ...validateMountOptions(metadata, spec, environment),
];

/** The inline spec of an attachment: only what the driver needs. */
export function validateInlineVolumeSpec(
  spec: PersistentVolumeSpec,
  path: string,
  environment: Environment,
): FieldError[] {
  const errors = [...validateModes(spec, path)];
  const refuse = (field: keyof PersistentVolumeSpec, given: boolean) => {
    if (given) errors.push(forbidden(`${path}.${field}`, "may not be specified in the context of inline volumes"));
  };
  refuse("claimRef", spec.claimRef !== undefined);
  refuse("capacity", Object.keys(spec.capacity ?? {}).length > 0);
  if (spec.csi === undefined)
    errors.push(required(`${path}.csi`, "has to be specified in the context of inline volumes"));
  refuse("persistentVolumeReclaimPolicy", !["", "Retain"].includes(spec.persistentVolumeReclaimPolicy ?? ""));
  refuse("nodeAffinity", spec.nodeAffinity !== undefined);
  refuse("storageClassName", Boolean(spec.storageClassName));
  refuse("volumeMode", !["Filesystem", undefined].includes(spec.volumeMode));
  return [...errors, ...validateSources(spec, path, environment)];
}

export function validateVolumeUpdate(
  volume: VolumeLike,
  { spec: old = {} }: VolumeLike,
  environment: Environment,
): FieldError[] {
  const { spec = {} } = volume;
  const errors = validateVolume(volume, environment);
  if (!sources.every((source) => sameValue(comparable(spec, old)[source], old[source]))) {
    errors.push(forbidden("spec.persistentvolumesource", "is immutable after creation"));
  }
  errors.push(...immutable("volumeMode", spec.volumeMode, old.volumeMode));
  if (old.nodeAffinity !== undefined) errors.push(...immutable("nodeAffinity", spec.nodeAffinity, old.nodeAffinity));
  return errors;
}

/** The secret for expanding a volume may still be added. */
function comparable(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): PersistentVolumeSpec {
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return spec;
  const { controllerExpandSecretRef: _added, ...csi } = spec.csi;
  return { ...spec, csi };
}

function validateModes({ accessModes: modes = [] }: PersistentVolumeSpec, path: string): FieldError[] {
  if (modes.length === 0) return [required(`${path}.accessModes`)];
  return modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(`${path}.accessModes`, mode, accessModes));
}

function validateCapacity(capacity: Readonly<Record<string, string>>, path: string): FieldError[] {
  const names = Object.keys(capacity);
  const errors: FieldError[] = names.length === 0 ? [required(path)] : [];
  if (names.length !== 1 || names[0] !== "storage") errors.push(notSupported(path, capacity, ["storage"]));
  for (const [name, amount] of Object.entries(capacity)) {
    if (compareAmounts(amount, "0") <= 0) errors.push(invalid(`${path}[${name}]`, amount, "must be greater than zero"));
  }
  return errors;
}

function validateReclaimPolicy(spec: PersistentVolumeSpec, path: string): FieldError[] {
  const policy = spec.persistentVolumeReclaimPolicy ?? "";
  if (policy !== "" && !reclaimPolicies.includes(policy)) return [notSupported(path, policy, reclaimPolicies)];
  const isRoot = spec.hostPath !== undefined && /^\/+$/.test(posix.normalize(spec.hostPath.path));
  return policy === "Recycle" && isRoot ? [forbidden(path, "may not be 'Recycle' for the root of a host")] : [];
}

/** The names of volume and portal become one, which has a limit. */
function validateInitiator(source: PersistentVolumeSpec["iscsi"], name: string, path: string): FieldError[] {
  if (source?.initiatorName === undefined) return [];
  return `${name}:${source.targetPortal}`.length > iscsiNameCharsMax
    ? [invalid(path, source.targetPortal, `must have, with the volume's name, at most ${iscsiNameCharsMax} characters`)]
    : [];
}

/** Mount options in the annotation that is older than the field. */
function validateMountOptions(
  { annotations }: ObjectMeta,
  spec: PersistentVolumeSpec,
  { vocabulary }: Environment,
): FieldError[] {
  const key = vocabulary.word("volume.beta.orch.io/mount-options");
  if (annotations?.[key] === undefined || mountedWithOptions.some((source) => spec[source] !== undefined)) return [];
  return [forbidden(`metadata.annotations.${key}`, "may not specify mount options for this volume type")];
}

function validateNodeAffinity(affinity: PersistentVolumeSpec["nodeAffinity"], path: string): FieldError[] {
  if (affinity === undefined) return [];
  if (affinity.required === undefined) return [required(`${path}.required`, "must specify required node constraints")];
  return validateNodeSelector(affinity.required, `${path}.required`);
}

/** How v1.21 spells a source that is one too many, where it is not the field's name. */
const surplusNames: Readonly<Record<string, string>> = { cephfs: "cephFS" };

/** A flexVolume is checked in addition to any other source, without an error about several sources. */
function validateSources(spec: PersistentVolumeSpec, path: string, environment: Environment): FieldError[] {
  const given = sources.filter((source) => spec[source] !== undefined);
  if (given.length === 0) return [required(path, "must specify a volume type")];
  const errors: FieldError[] = [];
  given.forEach((source, index) => {
    if (index > 0 && source !== "flexVolume") {
      const at = `${path}.${surplusNames[source] ?? source}`;
      errors.push(forbidden(at, "may not specify more than 1 volume type"));
      return;
    }
    // Each check is written for its own source; the schema guarantees that they meet.
    const check = persistentSourceChecks[source] as
      | ((source: unknown, path: string, environment: Environment) => FieldError[])
      | undefined;
    errors.push(...(check?.(spec[source], `${path}.${checkedNames[source] ?? source}`, environment) ?? []));
  });
  if (given[0] === "local" && spec.nodeAffinity === undefined) {
    errors.push(required(`${path}.nodeAffinity`, "a local volume is on one node only"));
  }
  return errors;
}
