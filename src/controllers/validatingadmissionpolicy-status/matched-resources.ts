/** The resources whose types a policy is checked against: those that its rules name without a pattern. */

import type { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";

export interface NamedResource {
  readonly group: string;
  /** "*": all versions. */
  readonly version: string;
  readonly resource: string;
}

/** Against how many kinds a policy is checked. */
export const checkedKindsMax = 10;

/** Sorted, each once. Rules with patterns of groups or resources, and subresources, say nothing about types. */
export function namedResources({ spec }: ValidatingAdmissionPolicy): readonly NamedResource[] {
  const found = new Map<string, NamedResource>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of spec.matchConstraints?.resourceRules ?? []) {
    if (apiGroups.includes("*")) continue;
    for (const group of apiGroups)
      for (const version of apiVersions)
        for (const resource of resources)
          if (!/[*/]/.test(resource)) found.set(`${group}/${version}/${resource}`, { group, version, resource });
  }
  return [...found.keys()].sort().map((key) => found.get(key)!);
}
