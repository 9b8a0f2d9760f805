/** The resources whose types a policy is checked against: those that its rules name without a pattern. */

import type { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";

/** Groups times versions times resources of a rule may be millions. */
export const namedResourcesMax = 1_000;

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
  for (const one of combinations(spec.matchConstraints?.resourceRules ?? [])) {
    found.set(`${one.group}/${one.version}/${one.resource}`, one);
    if (found.size === namedResourcesMax) break;
  }
  return [...found.keys()].sort().map((key) => found.get(key)!);
}

type Rules = NonNullable<NonNullable<ValidatingAdmissionPolicy["spec"]["matchConstraints"]>["resourceRules"]>;

function* combinations(rules: Rules): Iterable<NamedResource> {
  for (const { apiGroups = [], apiVersions = [], resources = [] } of rules) {
    if (apiGroups.includes("*")) continue;
    const plain = resources.filter((resource) => !/[*/]/.test(resource));
    if (plain.length === 0) continue;
    for (const group of apiGroups)
      for (const version of apiVersions) for (const resource of plain) yield { group, version, resource };
  }
}
