/** What must hold for rules, subjects and role references beyond the rules of their fields. */

import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import {
  each,
  type FieldError,
  type FieldErrors,
  invalid,
  noErrors,
  notSupported,
  required,
} from "../../../machinery/status/field-error.ts";
import { PolicyRule, RoleRef, Subject } from "./rules.ts";

type Scope = "namespace" | "cluster";

export const roleRelations = (scope: Scope): readonly Relation[] => [
  on(PolicyRule, (rule) => validateRule(rule, scope)),
];

function validateRule(rule: PolicyRule, scope: Scope): FieldErrors {
  const [groups, resources, names] = [rule.apiGroups ?? [], rule.resources ?? [], rule.resourceNames ?? []];
  const urls = rule.nonResourceURLs ?? [];
  const errors: FieldError[] = [];
  if (urls.length > 0) {
    const refuse = (problem: string) => errors.push(invalid("nonResourceURLs", urls, problem));
    if (scope === "namespace") refuse("namespaced rules cannot apply to non-resource URLs");
    if (groups.length + resources.length + names.length > 0)
      refuse("rules cannot apply to both regular resources and non-resource URLs");
    return errors;
  }
  if (groups.length === 0) errors.push(required("apiGroups", "resource rules must supply at least one api group"));
  if (resources.length === 0) errors.push(required("resources", "resource rules must supply at least one resource"));
  return errors;
}

export const bindingRelations = (roleKinds: readonly string[], scope: Scope): readonly Relation[] => [
  on(RoleRef, ({ apiGroup, kind }, environment) => {
    const group = groupOf(environment);
    const errors = apiGroup === group ? [] : [notSupported("apiGroup", apiGroup, [group])];
    return roleKinds.includes(kind) ? errors : [...errors, notSupported("kind", kind, roleKinds)];
  }),
  on(Subject, (subject, environment) => validateSubject(subject, scope, groupOf(environment))),
];

const groupOf = ({ vocabulary }: Environment): string => vocabulary.group("rbac.authorization.orch.io");

export const validateRoleRefUnchanged = (next: RoleRef, old: RoleRef): FieldErrors =>
  sameValue(next, old) ? noErrors : [invalid("roleRef", next, "cannot change roleRef")];

function validateSubject({ kind, name, namespace, apiGroup = "" }: Subject, scope: Scope, group: string): FieldErrors {
  if (kind === "User" || kind === "Group")
    return apiGroup === group ? noErrors : [notSupported("apiGroup", apiGroup, [group])];
  if (kind !== "ServiceAccount") return noErrors;
  const errors = name === "" ? [] : [...each(isDns1123Subdomain(name), "name", name)];
  if (apiGroup !== "") errors.push(notSupported("apiGroup", apiGroup, [""]));
  if (scope === "cluster" && !namespace) errors.push(required("namespace"));
  return errors;
}
