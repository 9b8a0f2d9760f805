/** How a user holds a right: the subject, the binding that names it, its role, and the rule that grants the right. */

import { elided, list, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { PolicyRule, Subject } from "../../rbac/v1/rules.ts";

const AccessBinding = struct("access.v1alpha1.AccessBinding", {
  kind: string().at(1).doc("RoleBinding or ClusterRoleBinding."),
  namespace: elided(string()).at(2).doc("The namespace of a RoleBinding; empty for a ClusterRoleBinding."),
  name: string().at(3).doc("The name of the binding that grants the role."),
});

const AccessRole = struct("access.v1alpha1.AccessRole", {
  kind: string().at(1).doc("The kind of the role: Role or ClusterRole."),
  name: string().at(2).doc("The name of the role that contains the rule."),
});

export const AccessPath = struct("access.v1alpha1.AccessPath", {
  subject: Subject.at(1).doc("The user, group or service account that the binding names."),
  binding: AccessBinding.at(2).doc("The binding that gives the role to the subject."),
  role: AccessRole.at(3).doc("The role that contains the rule."),
  rule: PolicyRule.at(4).doc("The rule that allows the request."),
});
export type AccessPath = Static<typeof AccessPath>;

export const NearestRule = struct("access.v1alpha1.NearestRule", {
  subject: Subject.at(1).doc("The user, group or service account that the binding names."),
  binding: AccessBinding.at(2).doc("The binding that gives the role to the subject."),
  role: AccessRole.at(3).doc("The role that contains the rule."),
  rule: PolicyRule.at(4).doc("The rule that comes closest to allowing the request."),
  differs: list(string())
    .at(5)
    .doc("Which parts of the request the rule does not cover: verb, group, resource, name or path."),
});
export type NearestRule = Static<typeof NearestRule>;
