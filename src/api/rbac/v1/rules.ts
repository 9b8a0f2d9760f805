/** Rules, subjects and role references. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, string, struct } from "../../../machinery/schema/build.ts";

export const PolicyRule = struct("rbac.v1.PolicyRule", {
  verbs: list(string()).at(1).doc("What may be done: get, list, watch, create and their like; * stands for all."),
  apiGroups: elided(list(string())).at(2).doc('Groups of the resources; "" is the core group, * stands for all.'),
  resources: elided(list(string())).at(3).doc("Resources, or resource/subresource; * stands for all."),
  resourceNames: elided(list(string())).at(4).doc("Names of the objects it is about; empty: all."),
  nonResourceURLs: elided(list(string()))
    .at(5)
    .doc("Paths that are no resources, which may end in *; in cluster roles only."),
});
export type PolicyRule = Static<typeof PolicyRule>;

/** Who writes an empty list owns it; kept, as by v1.21, it is no list. */
export function dropEmptyRules(role: { rules: PolicyRule[] | null }): void {
  if (role.rules?.length === 0) role.rules = null;
}

export const RoleRef = struct(
  "rbac.v1.RoleRef",
  {
    apiGroup: string().at(1).doc("The group of the role."),
    kind: string().at(2).doc("Role or ClusterRole."),
    name: string().at(3).doc("Which role; cannot be changed."),
  },
  {
    defaults(ref, { vocabulary }) {
      ref.apiGroup ||= vocabulary.group("rbac.authorization.orch.io");
    },
  },
);
export type RoleRef = Static<typeof RoleRef>;

export const Subject = struct(
  "rbac.v1.Subject",
  {
    kind: string().at(1).doc("User, Group or ServiceAccount."),
    apiGroup: elided(string()).at(2).doc("The group of the kind; empty for service accounts."),
    name: string().at(3).doc("Who."),
    namespace: elided(string()).at(4).doc("The namespace of a service account."),
  },
  {
    defaults(subject, { vocabulary }) {
      if (subject.apiGroup || (subject.kind !== "User" && subject.kind !== "Group")) return;
      subject.apiGroup = vocabulary.group("rbac.authorization.orch.io");
    },
  },
);
export type Subject = Static<typeof Subject>;
