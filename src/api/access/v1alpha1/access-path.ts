/** By which way somebody holds a right: a subject, the binding that names it, its role, and the rule that counts. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, string, struct } from "../../../machinery/schema/build.ts";
import { PolicyRule, Subject } from "../../rbac/v1/rules.ts";

export const AccessBinding = struct("access.v1alpha1.AccessBinding", {
  kind: string().at(1),
  namespace: elided(string()).at(2),
  name: string().at(3),
});
export type AccessBinding = Static<typeof AccessBinding>;

export const AccessRole = struct("access.v1alpha1.AccessRole", {
  kind: string().at(1),
  name: string().at(2),
});
export type AccessRole = Static<typeof AccessRole>;

export const AccessPath = struct("access.v1alpha1.AccessPath", {
  subject: Subject.at(1),
  binding: AccessBinding.at(2),
  role: AccessRole.at(3),
  rule: PolicyRule.at(4),
});
export type AccessPath = Static<typeof AccessPath>;

export const NearestRule = struct("access.v1alpha1.NearestRule", {
  subject: Subject.at(1),
  binding: AccessBinding.at(2),
  role: AccessRole.at(3),
  rule: PolicyRule.at(4),
  differs: list(string()).at(5).doc("What of the question the rule does not cover: verb, group, resource, name, path."),
});
export type NearestRule = Static<typeof NearestRule>;
