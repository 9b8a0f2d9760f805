/** The roles and bindings that every server starts with, as objects in the names of its vocabulary. */

import { existsIn, type Release, valuesIn } from "../../base/release.ts";
import type { FeatureGates } from "../../machinery/schema/gates.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { PolicyRule } from "../policy-rule.ts";
import type { BindingSubject } from "../rbac-index.ts";
import { bindings } from "./bindings.ts";
import { componentRoles } from "./component-roles.ts";
import { controllerRoles } from "./controller-roles.ts";
import { type DeclaredBinding, type DeclaredRole, rbacGroup, renameRule } from "./declare.ts";
import { namespaceRoles } from "./namespace-roles.ts";
import { userRoles } from "./user-roles.ts";

interface BootstrapRoleOptions {
  readonly vocabulary: Vocabulary;
  readonly level?: Release;
  /** Some roles exist only with their gates. Default: all gates are off. */
  readonly gates?: FeatureGates;
  /**
   * Omits from `edit` (and so from `admin`) the rights that reach beyond the namespace: writing endpoints, which points
   * load balancers anywhere, and acting as any service account. Default: false, the roles of v1.21.
   */
  readonly narrowEdit?: boolean;
  /** Default: `declaredRoles`. */
  readonly declared?: readonly DeclaredRole[] | undefined;
}

export const declaredRoles: readonly DeclaredRole[] = [
  ...userRoles,
  ...componentRoles,
  ...controllerRoles,
  ...namespaceRoles,
];

/** Roles first, then bindings: the order in which they are created. */
export function bootstrapObjects(options: BootstrapRoleOptions): readonly ApiObject[] {
  const { vocabulary, level = "1.21", narrowEdit = false, gates, declared = declaredRoles } = options;
  const exists = (declared: DeclaredRole | DeclaredBinding) =>
    existsIn(level, declared) && (declared.gates ?? []).every((gate) => gates?.enabled(gate) === true);
  const roles = declared.filter(exists).map((role) => {
    const { rules, ...rest } = role;
    const atLevel = { ...rest, rules: valuesIn(level, rules) };
    return narrowEdit ? narrow(atLevel) : atLevel;
  });
  return [
    ...roles.map((role) => roleObject(role, vocabulary)),
    ...bindings.filter(exists).map((binding) => {
      return bindingObject({ ...binding, subjects: valuesIn(level, binding.subjects) }, vocabulary);
    }),
  ];
}

/** Marks the objects of this room; they are restored at each start, unless `autoupdate` is set to something else. */
export const autoupdateAnnotation = `${rbacGroup}/autoupdate`;

function metadata(
  { namespace, name }: { namespace: string; name: string },
  vocabulary: Vocabulary,
  labels: Readonly<Record<string, string>> = {},
): ApiObject["metadata"] {
  return {
    name: vocabulary.word(name),
    ...(namespace === "" ? {} : { namespace: vocabulary.word(namespace) }),
    labels: { [vocabulary.word("orch.io/bootstrapping")]: "rbac-defaults", ...labels },
    annotations: { [vocabulary.word(autoupdateAnnotation)]: "true" },
  };
}

/** What a level has of a declaration. */
type RoleAtLevel = Omit<DeclaredRole, "rules"> & { readonly rules: readonly PolicyRule[] };
type BindingAtLevel = Omit<DeclaredBinding, "subjects"> & { readonly subjects: readonly BindingSubject[] };

function roleObject(role: RoleAtLevel, vocabulary: Vocabulary): ApiObject {
  const gathers = (name: string) => ({ [vocabulary.word(`${rbacGroup}/aggregate-to-${name}`)]: "true" });
  return {
    kind: role.namespace === "" ? "ClusterRole" : "Role",
    apiVersion: `${vocabulary.group(rbacGroup)}/v1`,
    metadata: metadata(role, vocabulary, Object.assign({}, ...role.partOf.map(gathers))),
    ...(role.aggregated
      ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: gathers(role.name) }] }, rules: null }
      : { rules: role.rules.map((rule) => renameRule(rule, vocabulary)) }),
  };
}

function bindingObject(binding: BindingAtLevel, vocabulary: Vocabulary): ApiObject {
  return {
    kind: binding.namespace === "" ? "ClusterRoleBinding" : "RoleBinding",
    apiVersion: `${vocabulary.group(rbacGroup)}/v1`,
    metadata: metadata(binding, vocabulary),
    roleRef: {
      apiGroup: vocabulary.group(rbacGroup),
      kind: binding.namespace === "" ? "ClusterRole" : "Role",
      name: vocabulary.word(binding.role),
    },
    ...(binding.subjects.length === 0
      ? {}
      : {
          subjects: binding.subjects.map((subject) => ({
            kind: subject.kind,
            ...(subject.apiGroup ? { apiGroup: vocabulary.group(subject.apiGroup) } : {}),
            name: vocabulary.word(subject.name),
            ...(subject.namespace ? { namespace: vocabulary.word(subject.namespace) } : {}),
          })),
        }),
  };
}

function narrow(role: RoleAtLevel): RoleAtLevel {
  if (role.name !== "system:aggregate-to-edit") return role;
  const rules: PolicyRule[] = [];
  for (const rule of role.rules) {
    if (rule.verbs?.includes("impersonate")) continue;
    rules.push({ ...rule, resources: (rule.resources ?? []).filter((resource) => resource !== "endpoints") });
  }
  return { ...role, rules };
}
