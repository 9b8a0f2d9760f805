/** Rules and references in v1alpha1: the shapes of v1, and the first numbers in protobuf. */

import { renamed, struct } from "../../../machinery/schema/build.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { policyRuleFields as fields, RoleRef as HubRoleRef } from "../v1/rules.ts";

export const inV1alpha1 = createRetyped("rbac.v1", "rbac.v1alpha1");

/** Never owned as a whole. */
export const RoleRef = renamed("rbac.v1alpha1.RoleRef", HubRoleRef, { from: {} });

export const PolicyRule = struct("rbac.v1alpha1.PolicyRule", {
  verbs: fields.verbs,
  apiGroups: fields.apiGroups.at(3),
  resources: fields.resources.at(4),
  resourceNames: fields.resourceNames.at(5),
  nonResourceURLs: fields.nonResourceURLs.at(6),
});
