/** What a variable or a file may take from the pod itself: fields by `fieldRef`, resources by `resourceFieldRef`. */

import { isQualifiedName } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";
import type { ObjectFieldSelector, ResourceFieldSelector } from "./container-env.ts";

/** What `fieldRef` may name in a variable, and what in a file of a volume. */
export const variableFieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.podIP",
  "status.podIPs",
] as const;
const hostAddresses = "status.hostIPs";
export const variableFieldPathsSince128 = [...variableFieldPaths, hostAddresses] as const;
export const fileFieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.labels",
  "metadata.annotations",
  "metadata.uid",
] as const;

const containerResources = [
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
] as const;

export function validateFieldRef(
  ref: ObjectFieldSelector,
  allowed: readonly string[],
  path: string,
  environment: Environment,
): FieldError[] {
  if (!ref.apiVersion || !ref.fieldPath) return [];
  const knowsHosts = has(environment, "variablesOfHosts");
  const isEarly = knowsHosts && ref.fieldPath === hostAddresses && !environment.gates.enabled("PodHostIPs");
  return [
    ...(isEarly ? [forbidden(path, "may not be set while the feature gate PodHostIPs is off")] : []),
    ...validateFieldPath(ref, allowed, path, knowsHosts),
  ];
}

function validateFieldPath(
  ref: ObjectFieldSelector,
  allowed: readonly string[],
  path: string,
  knowsHosts: boolean,
): FieldError[] {
  if (ref.apiVersion !== "v1") return [invalid(`${path}.fieldPath`, ref.fieldPath, "error converting fieldPath")];
  const subscript = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/s.exec(ref.fieldPath);
  if (subscript) {
    const key = subscript[1] === "metadata.annotations" ? (subscript[2] ?? "").toLowerCase() : (subscript[2] ?? "");
    return isQualifiedName(key).map((problem) => invalid(path, ref.fieldPath, problem));
  }
  // The name of the node field in old clients.
  const field = ref.fieldPath === "spec.host" ? "spec.nodeName" : ref.fieldPath;
  if (allowed.includes(field)) return [];
  const known: readonly string[] = [
    ...(knowsHosts ? variableFieldPathsSince128 : variableFieldPaths),
    ...fileFieldPaths,
    "status.phase",
    "spec.restartPolicy",
    "spec.schedulerName",
  ];
  return known.includes(field)
    ? [notSupported(`${path}.fieldPath`, field, allowed)]
    : [invalid(`${path}.fieldPath`, field, "error converting fieldPath: field label not supported")];
}

export function validateResourceFieldRef(
  ref: ResourceFieldSelector,
  path: string,
  { gates }: Environment,
  { inVolume = false } = {},
): FieldError[] {
  const isHuge = /^(limits|requests)\.hugepages-/.test(ref.resource);
  const isKnown =
    (containerResources as readonly string[]).includes(ref.resource) ||
    (isHuge && gates.enabled("DownwardAPIHugePages"));
  const errors: FieldError[] = [];
  if (inVolume && !ref.containerName) errors.push(required(`${path}.containerName`));
  else if (!ref.resource) errors.push(required(`${path}.resource`));
  else if (!isKnown) errors.push(notSupported(`${path}.resource`, ref.resource, containerResources));
  return [...errors, ...validateDivisor(ref, path)];
}

const cpuDivisors = ["1m", "1"];
const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/** The text is compared: 1024 is not 1Ki. Unknown resources accept any divisor. */
function validateDivisor({ resource, divisor = "0" }: ResourceFieldSelector, path: string): FieldError[] {
  if (divisor === "0" || !/^(limits|requests)\.(cpu$|memory$|ephemeral-storage$|hugepages-)/.test(resource)) return [];
  const allowed = resource.endsWith(".cpu") ? cpuDivisors : byteDivisors;
  return allowed.includes(divisor)
    ? []
    : [invalid(`${path}.divisor`, divisor, `only divisors ${allowed.join(", ")} are supported`)];
}
