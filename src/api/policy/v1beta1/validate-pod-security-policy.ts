/** Checks of pod security policies. */

import { checker, on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { refuse } from "../../../machinery/schema/relations.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldErrors } from "../../../machinery/status/field-error.ts";
import { type FieldError, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import {
  IDRange,
  PodSecurityPolicySpec,
  RunAsGroupStrategyOptions,
  RuntimeClassStrategyOptions,
} from "./security-policy-spec.ts";
import { validateProfileAnnotations } from "./validate-profile-annotations.ts";
import { validateSysctlLists } from "./validate-sysctl-lists.ts";

const everything = "*";
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
    ...(spec.runAsGroup ? validateRunAsGroup(spec.runAsGroup, "spec.runAsGroup", environment) : []),
    ...validateVolumes(spec.volumes ?? [], environment),
    ...validateCapabilities(spec),
    ...validateHostPaths(spec.allowedHostPaths ?? []),
    ...validateSysctlLists(spec.allowedUnsafeSysctls ?? [], spec.forbiddenSysctls ?? []),
  ];
}

export const policyRelations: readonly Relation[] = [
  on(IDRange, ({ min, max }) => (min > max ? [invalid("min", min, "must not be greater than max")] : [])),
  on(RuntimeClassStrategyOptions, validateRuntimeClass),
  refuse(
    PodSecurityPolicySpec,
    "defaultAllowPrivilegeEscalation",
    "must not be true where allowPrivilegeEscalation is false",
    (spec) => spec.defaultAllowPrivilegeEscalation === true && spec.allowPrivilegeEscalation === false,
  ),
];
const checkRunAsGroup = checker(RunAsGroupStrategyOptions, policyRelations);

/** Here ranges go with the rule: none with RunAsAny, some with the others. Without a known rule they are not checked. */
function validateRunAsGroup(options: RunAsGroupStrategyOptions, path: string, environment: Environment): FieldErrors {
  const { rule, ranges = [] } = options;
  if (rule === "RunAsAny") return ranges.length > 0 ? [invalid(`${path}.ranges`, ranges, "must be empty")] : [];
  const errors = checkRunAsGroup(options, path, environment);
  if (errors.some(({ field }) => field === `${path}.rule`)) return errors.slice(0, 1);
  return ranges.length === 0 ? [invalid(`${path}.ranges`, ranges, "must have at least one range")] : errors;
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

function validateRuntimeClass(options: RuntimeClassStrategyOptions): FieldErrors {
  const { allowedRuntimeClassNames: names, defaultRuntimeClassName: byDefault } = options;
  const errors: FieldError[] = [];
  if (names?.includes(everything) && names.length > 1) {
    errors.push(invalid("allowedRuntimeClassNames", names, "'*' must stand alone"));
  }
  if (byDefault !== undefined && !names?.includes(byDefault) && !names?.includes(everything)) {
    errors.push(required("allowedRuntimeClassNames", "must have the default among them"));
  }
  return errors;
}
