/** Rules, subjects and role references. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, string, struct } from "../../../machinery/schema/build.ts";

export const PolicyRule = struct("rbac.v1.PolicyRule", {
  verbs: list(string()).at(1),
  apiGroups: elided(list(string())).at(2),
  resources: elided(list(string())).at(3),
  resourceNames: elided(list(string())).at(4),
  nonResourceURLs: elided(list(string())).at(5),
});
export type PolicyRule = Static<typeof PolicyRule>;

/** Who writes an empty list owns it; kept, as by v1.21, it is no list. */
export function dropEmptyRules(role: { rules: PolicyRule[] | null }): void {
  if (role.rules?.length === 0) role.rules = null;
}

export const RoleRef = struct(
  "rbac.v1.RoleRef",
  {
    apiGroup: string().at(1),
    kind: string().at(2),
    name: string().at(3),
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
    kind: string().at(1),
    apiGroup: elided(string()).at(2),
    name: string().at(3),
    namespace: elided(string()).at(4),
  },
  {
    defaults(subject, { vocabulary }) {
      if (subject.apiGroup || (subject.kind !== "User" && subject.kind !== "Group")) return;
      subject.apiGroup = vocabulary.group("rbac.authorization.orch.io");
    },
  },
);
export type Subject = Static<typeof Subject>;
