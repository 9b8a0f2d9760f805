/** Checks of rules, subjects and role references. */

import { isDns1123Subdomain, isPathSegmentName } from "../../../machinery/meta/names.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { type FieldError, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import type { PolicyRule, RoleRef, Subject } from "./rules.ts";

export function validateRules(rules: readonly PolicyRule[] | null | undefined, namespaced: boolean): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => validateRule(rule, namespaced, `rules[${index}]`));
}

function validateRule(rule: PolicyRule, namespaced: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if ((rule.verbs ?? []).length === 0) errors.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  const [groups, resources, names] = [rule.apiGroups ?? [], rule.resources ?? [], rule.resourceNames ?? []];
  const urls = rule.nonResourceURLs ?? [];
  if (urls.length > 0) {
    if (namespaced)
      errors.push(invalid(`${path}.nonResourceURLs`, urls, "namespaced rules cannot apply to non-resource URLs"));
    if (groups.length + resources.length + names.length > 0) {
      errors.push(
        invalid(`${path}.nonResourceURLs`, urls, "rules cannot apply to both regular resources and non-resource URLs"),
      );
    }
    return errors;
  }
  if (groups.length === 0)
    errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  if (resources.length === 0)
    errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  return errors;
}

interface BindingParts {
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}

export function validateBinding(
  binding: BindingParts,
  roleKinds: readonly string[],
  namespaced: boolean,
  environment: Environment,
): FieldError[] {
  const group = environment.vocabulary.group("rbac.authorization.orch.io");
  const { roleRef } = binding;
  const errors: FieldError[] = [];
  if (roleRef.apiGroup !== group) errors.push(notSupported("roleRef.apiGroup", roleRef.apiGroup, [group]));
  if (!roleKinds.includes(roleRef.kind)) errors.push(notSupported("roleRef.kind", roleRef.kind, roleKinds));
  if (roleRef.name === "") errors.push(required("roleRef.name"));
  else errors.push(...isPathSegmentName(roleRef.name).map((problem) => invalid("roleRef.name", roleRef.name, problem)));
  const subjects = (binding.subjects ?? []).flatMap((subject, index) =>
    validateSubject(subject, namespaced, group, `subjects[${index}]`),
  );
  return [...errors, ...subjects];
}

export const validateRoleRefUnchanged = (next: RoleRef, old: RoleRef): FieldError[] =>
  sameValue(next, old) ? [] : [invalid("roleRef", next, "cannot change roleRef")];

function validateSubject(subject: Subject, namespaced: boolean, group: string, path: string): FieldError[] {
  const errors: FieldError[] = subject.name === "" ? [required(`${path}.name`)] : [];
  const apiGroup = subject.apiGroup ?? "";
  switch (subject.kind) {
    case "ServiceAccount":
      if (subject.name !== "") {
        errors.push(
          ...isDns1123Subdomain(subject.name).map((problem) => invalid(`${path}.name`, subject.name, problem)),
        );
      }
      if (apiGroup !== "") errors.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
      if (!namespaced && !subject.namespace) errors.push(required(`${path}.namespace`));
      return errors;
    case "User":
    case "Group":
      return apiGroup === group ? errors : [...errors, notSupported(`${path}.apiGroup`, apiGroup, [group])];
    default:
      return [...errors, notSupported(`${path}.kind`, subject.kind, ["ServiceAccount", "User", "Group"])];
  }
}
