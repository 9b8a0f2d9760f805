/** Rules, subjects and role references. */

import { elided, list, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { type FieldErrors, noErrors, notSupported } from "../../../machinery/status/field-error.ts";

export const policyRuleFields = {
  verbs: list(string())
    .at(1)
    .required("verbs must contain at least one value")
    .doc("Verbs that are allowed, such as get, list, watch, create, update, patch or delete; * is all."),
  apiGroups: elided(list(string())).at(2).doc('Groups of the resources; "" is the core group, * stands for all.'),
  resources: elided(list(string())).at(3).doc("Resources, or RESOURCE/SUBRESOURCE; * is all."),
  resourceNames: elided(list(string())).at(4).doc("Names of the objects that are allowed. Empty: all."),
  nonResourceURLs: elided(list(string()))
    .at(5)
    .doc("Paths other than resources, such as /healthz; * at the end matches everything below. Only in cluster roles."),
};

export const PolicyRule = struct("rbac.v1.PolicyRule", policyRuleFields);
export type PolicyRule = Static<typeof PolicyRule>;

/** The manager that writes an empty list owns it; it is stored, as by v1.21, as absent. */
export function withoutEmptyRules<R extends { rules: PolicyRule[] | null }>(role: R): R {
  return role.rules?.length === 0 ? { ...role, rules: null } : role;
}

export const rbacGroup = "rbac.authorization.orch.io";

export const RoleRef = struct(
  "rbac.v1.RoleRef",
  {
    apiGroup: string()
      .listed(false, "1.36")
      .at(1)
      .openApiEnum("none")
      .oneOf([rbacGroup])
      .doc("The API group of the role. Default: the group of RBAC."),
    kind: string().at(2).doc("The kind of the role: Role or ClusterRole. Required."),
    name: string().at(3).required().named("pathSegment").doc("The name of the role. Required."),
  },
  {
    defaults(ref, { vocabulary }) {
      ref.apiGroup ||= vocabulary.group(rbacGroup);
    },
    from: { "1.22": { topology: "atomic" } },
  },
);
export type RoleRef = Static<typeof RoleRef>;

/** Which roles a kind of bindings grants. */
export const oneOfKinds =
  (...kinds: readonly string[]) =>
  ({ kind }: RoleRef): FieldErrors =>
    kinds.includes(kind) ? noErrors : [notSupported("kind", kind, kinds)];

export const Subject = struct(
  "rbac.v1.Subject",
  {
    kind: string()
      .at(1)
      .openApiEnum("none")
      .oneOf(["ServiceAccount", "User", "Group"])
      .doc("The kind of the subject: User, Group or ServiceAccount. Required."),
    apiGroup: elided(string()).at(2).doc("The API group of the subject; empty for service accounts."),
    name: string().at(3).required().doc("The name of the user, group or service account. Required."),
    namespace: elided(string()).at(4).doc("The namespace of a service account; must be empty for users and groups."),
  },
  {
    defaults(subject, { vocabulary }) {
      if (subject.apiGroup || (subject.kind !== "User" && subject.kind !== "Group")) return;
      subject.apiGroup = vocabulary.group(rbacGroup);
    },
    from: { "1.22": { topology: "atomic" } },
  },
);
export type Subject = Static<typeof Subject>;

export const roleText = ({ roleRef }: { roleRef: RoleRef }): string => `${roleRef.kind}/${roleRef.name}`;

export const subjectsText = (kind: string) => (binding: { subjects?: readonly Subject[] }) =>
  (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
    .join(", ");
