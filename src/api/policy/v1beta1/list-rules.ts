/** Rules of the lists that a pod security policy has: kinds of volumes, paths of the node, kernel parameters. */

import { hasParentStep } from "../../../machinery/meta/paths.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  required,
} from "../../../machinery/status/field-error.ts";
import { isSysctlPart, sysctlCharsMax } from "../../core/v1/pod/sysctl-name.ts";

const volumeKinds = [
  ...["awsElasticBlockStore", "azureDisk", "azureFile", "cephFS", "cinder", "configMap", "csi", "downwardAPI"],
  ...["emptyDir", "fc", "flexVolume", "flocker", "gcePersistentDisk", "gitRepo", "glusterfs", "hostPath", "iscsi"],
  ...["nfs", "persistentVolumeClaim", "photonPersistentDisk", "portworxVolume", "projected", "quobyte", "rbd"],
  ...["scaleIO", "secret", "storageos", "vsphereVolume"],
];

export function validateVolumeKind(volume: string, path: string, { gates }: Environment): FieldErrors {
  const allowed = ["*", ...volumeKinds, ...(gates.enabled("GenericEphemeralVolume") ? ["ephemeral"] : [])];
  return allowed.includes(volume) ? noErrors : [notSupported(path, volume, allowed)];
}

/** A path that is missing ends the check, as in v1.21. */
export function validateHostPaths(paths: readonly { readonly pathPrefix?: string }[]): FieldErrors {
  const errors: FieldError[] = [];
  for (const [index, { pathPrefix = "" }] of paths.entries()) {
    if (pathPrefix === "") return [...errors, required(`[${index}]`)];
    if (hasParentStep(pathPrefix)) errors.push(invalid(`[${index}]`, pathPrefix, "must not contain '..'"));
  }
  return errors;
}

export function validateSysctlPatterns(patterns: readonly string[]): FieldErrors {
  const errors = ofEach(patterns, (pattern, index) =>
    isPattern(pattern) ? noErrors : [invalid(`[${index}]`, pattern, "must be the name of a sysctl, or end with '*'")],
  );
  const coversAll = patterns.some((pattern) => isPattern(pattern) && pattern.startsWith("*"));
  return coversAll && patterns.length > 1 ? [...errors, forbidden("items", "'*' must stand alone")] : errors;
}

/** Parts with dots between; the last may end with a star. */
function isPattern(pattern: string): boolean {
  if (pattern.length > sysctlCharsMax) return false;
  const parts = pattern.split(".");
  const last = parts.pop() ?? "";
  return parts.every(isSysctlPart) && /^(?:[a-z0-9][-_a-z0-9]*)?[a-z0-9*]$/.test(last);
}
