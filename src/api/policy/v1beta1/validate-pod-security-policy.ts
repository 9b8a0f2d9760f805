/** Checks of pod security policies. */

import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { validateDriverName } from "../../core/v1/volume/validate-sources.ts";
import { repeats } from "../../validation.ts";
import type {
  IDRange,
  PodSecurityPolicySpec,
  RunAsGroupStrategyOptions,
  RuntimeClassStrategyOptions,
} from "./pod-security-policy.ts";
import { validateProfileAnnotations } from "./validate-profile-annotations.ts";
import { validateSysctlLists } from "./validate-sysctl-lists.ts";

const everything = "*";
const userRules = ["MustRunAs", "MustRunAsNonRoot", "RunAsAny"];
const groupRules = ["MayRunAs", "MustRunAs", "RunAsAny"];
const labelRules = ["MustRunAs", "RunAsAny"];
const procMounts = ["Default", "Unmasked"];
const volumeKinds = [
  ...["awsElasticBlockStore", "azureDisk", "azureFile", "cephFS", "cinder", "configMap", "csi", "downwardAPI"],
  ...["emptyDir", "fc", "flexVolume", "flocker", "gcePersistentDisk", "gitRepo", "glusterfs", "hostPath", "iscsi"],
  ...["nfs", "persistentVolumeClaim", "photonPersistentDisk", "portworxVolume", "projected", "quobyte", "rbd"],
  ...["scaleIO", "secret", "storageos", "vsphereVolume"],
];

const noSpec: PodSecurityPolicySpec = {
  seLinux: { rule: "" },
  runAsUser: { rule: "" },
  supplementalGroups: {},
  fsGroup: {},
};

export function validatePolicy(
  { metadata, spec = noSpec }: { metadata: ObjectMeta; spec?: PodSecurityPolicySpec },
  environment: Environment,
): FieldError[] {
  return [
    ...validateProfileAnnotations(metadata.annotations ?? {}, environment),
    ...validateRule(spec.runAsUser, userRules, "spec.runAsUser"),
    ...(spec.runAsGroup ? validateRunAsGroup(spec.runAsGroup, "spec.runAsGroup") : []),
    ...validateRule(spec.seLinux, labelRules, "spec.seLinux"),
    ...validateRule(spec.supplementalGroups, groupRules, "spec.supplementalGroups"),
    ...validateRule(spec.fsGroup, groupRules, "spec.fsGroup"),
    ...validateVolumes(spec.volumes ?? [], environment),
    ...validateCapabilities(spec),
    ...validateEscalation(spec),
    ...(spec.allowedProcMountTypes ?? []).flatMap((type, index) =>
      procMounts.includes(type) ? [] : [notSupported(`spec.allowedProcMountTypes[${index}]`, type, procMounts)],
    ),
    ...validateHostPaths(spec.allowedHostPaths ?? []),
    // v1.21 repeats the names of these two lists in their paths.
    ...(spec.allowedFlexVolumes ?? []).flatMap(({ driver }, index) =>
      driver === "" ? [required(`spec.allowedFlexVolumes.allowedFlexVolumes[${index}].driver`)] : [],
    ),
    ...(spec.allowedCSIDrivers ?? []).flatMap(({ name }, index) =>
      validateDriverName(name, `spec.allowedCSIDrivers.allowedCSIDriver[${index}].name`),
    ),
    ...validateSysctlLists(spec.allowedUnsafeSysctls ?? [], spec.forbiddenSysctls ?? []),
    ...(spec.runtimeClass ? validateRuntimeClass(spec.runtimeClass, "spec.runtimeClass") : []),
  ];
}

function validateRule(
  { rule = "", ranges }: { rule?: string; ranges?: readonly IDRange[] },
  allowed: readonly string[],
  path: string,
): FieldError[] {
  return [
    ...(allowed.includes(rule) ? [] : [notSupported(`${path}.rule`, rule, allowed)]),
    ...(ranges ?? []).flatMap((range, index) => validateRange(range, `${path}.ranges[${index}]`)),
  ];
}

/** Here ranges go with the rule: none with RunAsAny, some with the others. */
function validateRunAsGroup({ rule, ranges = [] }: RunAsGroupStrategyOptions, path: string): FieldError[] {
  if (!groupRules.includes(rule)) return [notSupported(`${path}.rule`, rule, groupRules)];
  if (rule === "RunAsAny") return ranges.length > 0 ? [invalid(`${path}.ranges`, ranges, "must be empty")] : [];
  if (ranges.length === 0) return [invalid(`${path}.ranges`, ranges, "must have at least one range")];
  return ranges.flatMap((range, index) => validateRange(range, `${path}.ranges[${index}]`));
}

function validateRange({ min, max }: IDRange, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (min < 0) errors.push(invalid(`${path}.min`, min, "must not be negative"));
  if (max < 0) errors.push(invalid(`${path}.max`, max, "must not be negative"));
  if (min > max) errors.push(invalid(`${path}.min`, min, "must not be greater than max"));
  return errors;
}

function validateVolumes(volumes: readonly string[], { gates }: Environment): FieldError[] {
  const allowed = [everything, ...volumeKinds, ...(gates.enabled("GenericEphemeralVolume") ? ["ephemeral"] : [])];
  return volumes.flatMap((volume) => (allowed.includes(volume) ? [] : [notSupported("spec.volumes", volume, allowed)]));
}

/** v1.21 names these fields without the spec they are in. */
function validateCapabilities(spec: PodSecurityPolicySpec): FieldError[] {
  const { requiredDropCapabilities: drops = [], allowedCapabilities: allowed = [] } = spec;
  const { defaultAddCapabilities: added = [] } = spec;
  const errors: FieldError[] = [];
  if (drops.length > 0 && allowed.includes(everything)) {
    errors.push(invalid("requiredDropCapabilities", drops, "must be empty when a wildcard allows all capabilities"));
  }
  const among = (field: string, list: readonly string[]) => {
    const listed = new Set(list);
    return drops
      .filter((capability) => listed.has(capability))
      .map((capability) => invalid(field, capability, "must not be in requiredDropCapabilities as well"));
  };
  return [...errors, ...among("defaultAddCapabilities", added), ...among("allowedCapabilities", allowed)];
}

function validateEscalation(spec: PodSecurityPolicySpec): FieldError[] {
  const isContradiction = spec.defaultAllowPrivilegeEscalation === true && spec.allowPrivilegeEscalation === false;
  return isContradiction
    ? [
        invalid(
          "spec.defaultAllowPrivilegeEscalation",
          true,
          "must not be true where allowPrivilegeEscalation is false",
        ),
      ]
    : [];
}

/** A path that is missing ends the check, as in v1.21. */
function validateHostPaths(paths: readonly { pathPrefix?: string }[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { pathPrefix = "" }] of paths.entries()) {
    const path = `spec.allowedHostPaths[${index}]`;
    if (pathPrefix === "") return [...errors, required(path)];
    if (pathPrefix.split("/").includes("..")) errors.push(invalid(path, pathPrefix, "must not contain '..'"));
  }
  return errors;
}

function validateRuntimeClass(strategy: RuntimeClassStrategyOptions, path: string): FieldError[] {
  const names = strategy.allowedRuntimeClassNames ?? [];
  const byDefault = strategy.defaultRuntimeClassName;
  const repeated = repeats(names);
  const errors = names.flatMap((name, index) => {
    const at = `${path}.allowedRuntimeClassNames[${index}]`;
    return [
      ...(name === everything ? [] : isDns1123Subdomain(name).map((problem) => invalid(at, name, problem))),
      ...(repeated.has(index) ? [duplicate(at, name)] : []),
    ];
  });
  if (names.includes(everything) && names.length > 1) {
    errors.push(invalid(`${path}.allowedRuntimeClassNames`, names, "'*' must stand alone"));
  }
  if (byDefault === undefined) return errors;
  const at = `${path}.defaultRuntimeClassName`;
  errors.push(...isDns1123Subdomain(byDefault).map((problem) => invalid(at, byDefault, problem)));
  if (!names.includes(byDefault) && !names.includes(everything)) {
    errors.push(required(`${path}.allowedRuntimeClassNames`, "must have the default among them"));
  }
  return errors;
}
