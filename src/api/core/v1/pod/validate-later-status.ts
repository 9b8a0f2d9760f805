/** Checks of what later levels have in the status of a pod. */

import { isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { duplicate, type FieldError, forbidden, invalid } from "../../../../machinery/status/field-error.ts";
import type { PodSpec } from "./spec.ts";
import type { PodStatus } from "./status.ts";
import { addressListProblems } from "./validate-addresses.ts";

export const validateLaterStatus = (
  status: PodStatus,
  before: PodStatus,
  spec: PodSpec,
  environment: Environment,
): FieldError[] => [
  ...validateGenerations(status),
  ...validateHostIps(status, environment),
  ...validateClaimStatuses(status, spec),
  ...validateUsers(status, spec),
  ...(status.qosClass === before.qosClass ? [] : [invalid("status.qosClass", status.qosClass, "field is immutable")]),
  ...(spec.nodeName && status.nominatedNodeName && status.nominatedNodeName !== before.nominatedNodeName
    ? [forbidden("status.nominatedNodeName", "may not be changed for a pod that is bound")]
    : []),
];

function validateGenerations({ observedGeneration, conditions = [] }: PodStatus): FieldError[] {
  const check = (generation: number | undefined, path: string) =>
    generation !== undefined && generation < 0 ? [invalid(path, generation, "must not be negative")] : [];
  return [
    ...check(observedGeneration, "status.observedGeneration"),
    ...conditions.flatMap((one, index) =>
      check(one.observedGeneration, `status.conditions[${index}].observedGeneration`),
    ),
  ];
}

function validateHostIps({ hostIP = "", hostIPs = [] }: PodStatus, environment: Environment): FieldError[] {
  const path = "status.hostIPs";
  const [first] = hostIPs;
  if (first === undefined) return [];
  const isSame = hostIP === first.ip;
  return [
    ...(isSame ? [] : [invalid(`${path}[0].ip`, first.ip, "must be equal to `hostIP`")]),
    ...addressListProblems(hostIPs, path, environment),
  ];
}

/** v1.35 reports all of them at the name. */
function validateClaimStatuses({ resourceClaimStatuses = [] }: PodStatus, spec: PodSpec): FieldError[] {
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const seen = new Set<string>();
  return resourceClaimStatuses.flatMap(({ name, resourceClaimName }, index) => {
    const at = `status.resourceClaimStatuses[${index}].name`;
    const errors: FieldError[] = [];
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    if (!known.has(name)) errors.push(invalid(at, name, "must be the name of a claim of the pod"));
    if (resourceClaimName !== undefined) {
      errors.push(...isDns1123Subdomain(resourceClaimName).map((problem) => invalid(at, resourceClaimName, problem)));
    }
    return errors;
  });
}

function validateUsers(status: PodStatus, spec: PodSpec): FieldError[] {
  if (spec.os?.name !== "windows") return [];
  return (["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const).flatMap((kind) =>
    (status[kind] ?? []).flatMap(({ user }, index) =>
      user?.linux ? [forbidden(`status.${kind}[${index}].user.linux`, "may not be set for a pod of windows")] : [],
    ),
  );
}
