/**
 * Users cannot grant rights that they do not hold: a write of a role needs all rights of its rules, a write of a binding
 * all rights of its role, unless the writer may `escalate` or `bind`.
 *
 * It is an admission plugin that only validates, so that it sees objects as they will be stored, after every plugin and
 * webhook that might have changed them.
 */

import { isDeepStrictEqual } from "node:util";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../../api/rbac/v1/cluster-role-binding.ts";
import { Role } from "../../api/rbac/v1/role.ts";
import { RoleBinding } from "../../api/rbac/v1/role-binding.ts";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import { covers } from "../../authz/coverage.ts";
import { mastersGroup } from "../../authz/masters.ts";
import type { PolicyRule } from "../../authz/policy-rule.ts";
import { rulesOf } from "../../authz/rbac.ts";
import type { RbacIndex, RoleRef } from "../../authz/rbac-index.ts";
import { type BoundKind, isVersionOf } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { forbiddenRequest, notFound } from "../../machinery/status/status.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { AdmissionPlugin } from "../contract.ts";

interface EscalationOptions {
  readonly index: RbacIndex;
  /** All modules together: a user whom another module allows to escalate may do so. */
  readonly authorizer: Authorizer;
  readonly vocabulary: Vocabulary;
}

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export function createEscalationCheck(options: EscalationOptions): AdmissionPlugin {
  const group = options.vocabulary.group("rbac.authorization.orch.io");
  const isRole = (kind: BoundKind) => isVersionOf(kind, Role) || isVersionOf(kind, ClusterRole);
  const isBinding = (kind: BoundKind) => isVersionOf(kind, RoleBinding) || isVersionOf(kind, ClusterRoleBinding);
  return {
    name: "RBACEscalation",
    handles: ({ kind, subresource, operation }) =>
      subresource === "" && (operation === "CREATE" || operation === "UPDATE") && (isRole(kind) || isBinding(kind)),
    async validate(request) {
      if (request.user.groups.includes(mastersGroup)) return;
      const { object, old } = request;
      if (object === undefined || (old !== undefined && isOnlyForGarbageCollection(object, old))) return;
      if (isRole(request.kind)) await checkRole(options, request, object, old);
      else await checkBinding(options, request, object, group);
    },
  };
}

async function checkRole(
  { index, authorizer }: EscalationOptions,
  request: AdmissionRequest,
  role: ApiObject,
  old: ApiObject | undefined,
): Promise<void> {
  const { kind, namespace, operation } = request;
  const may = await allows(authorizer, request, {
    verb: "escalate",
    group: kind.group,
    version: kind.version,
    resource: kind.resource,
    namespace,
    name: operation === "CREATE" ? "" : request.name,
  });
  if (may) return;
  requireRights(index, request, (role as { rules?: readonly PolicyRule[] | null }).rules ?? []);
  // An aggregated role collects the rules of other roles, so writing one needs every right.
  if (role.aggregationRule || old?.aggregationRule) requireRights(index, request, everything);
}

async function checkBinding(
  { index, authorizer }: EscalationOptions,
  request: AdmissionRequest,
  binding: ApiObject,
  group: string,
): Promise<void> {
  const roleRef = binding.roleRef as RoleRef; // validated
  const { namespace } = request;
  const resource = roleRef.kind === "ClusterRole" ? "clusterroles" : "roles";
  const isRole = roleRef.kind === "ClusterRole" || roleRef.kind === "Role";
  const target = { verb: "bind", group: roleRef.apiGroup || group, version: "*", resource, namespace };
  if (isRole && (await allows(authorizer, request, { ...target, name: roleRef.name }))) return;
  const role = index.roleOf({ namespace, roleRef });
  const { kind } = request;
  // Since 1.35 the refusal is about the binding, but names the role.
  const missing = kind.family.environment.has("missingRoleOfBinding") ? kind.resource : resource;
  if (role === undefined) throw notFound({ group, kind: missing }, roleRef.name);
  requireRights(
    index,
    request,
    role.rules.map((compiled) => compiled.rule),
  );
}

function requireRights(index: RbacIndex, request: AdmissionRequest, wanted: readonly PolicyRule[]): void {
  const { user, kind, namespace, object } = request;
  const { rules, missing: missingRoles } = rulesOf(index, user, namespace);
  const coverage = covers(rules, wanted);
  if (coverage.covered) return;
  const lacking = coverage.missing.map(describeRule).join("\n");
  const unresolved = missingRoles.length === 0 ? "" : `; ${missingRoles.length} of the user's bindings name no role`;
  throw forbiddenRequest(
    { group: kind.group, kind: kind.resource },
    object?.metadata.name ?? request.name,
    coverage.tooComplex
      ? "its rules multiply to more rights than can be compared; write them as several roles"
      : `user "${user.name}" (groups=${JSON.stringify(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${lacking}${unresolved}`,
  );
}

async function allows(
  authorizer: Authorizer,
  { user }: AdmissionRequest,
  target: Pick<Attributes, "verb" | "group" | "version" | "resource" | "namespace" | "name">,
): Promise<boolean> {
  const decision = await authorizer.authorize({ user, isResource: true, path: "", subresource: "", ...target });
  return decision.outcome === "allow";
}

/** Any user who may write the object may change owner references and finalizers; otherwise it could never be removed. */
function isOnlyForGarbageCollection(object: ApiObject, old: ApiObject): boolean {
  const kept = ({ metadata, ...rest }: ApiObject) => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managed, ...others } = metadata;
    return { ...rest, metadata: { ...others, resourceVersion: "" } };
  };
  return isDeepStrictEqual(kept(object), kept(old));
}

function describeRule(rule: PolicyRule): string {
  const parts = Object.entries(rule).map(([key, values]) => `${key}: ${JSON.stringify(values)}`);
  return `{${parts.join(", ")}}`;
}
