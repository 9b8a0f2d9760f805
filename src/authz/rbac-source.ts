/** Keeps an RBAC index equal to the roles and bindings that the registry knows. */

import { ClusterRole } from "../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../api/rbac/v1/cluster-role-binding.ts";
import { Role } from "../api/rbac/v1/role.ts";
import { RoleBinding } from "../api/rbac/v1/role-binding.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import type { Entry } from "../registry/contract/entry.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { compileRule } from "./policy-rule.ts";
import { type Binding, type Role as IndexedRole, RbacIndex } from "./rbac-index.ts";
import type { SubjectNames } from "./subject-names.ts";

interface RbacSourceOptions {
  readonly registry: Pick<Registry, "observe" | "peekAll">;
  readonly catalog: Catalog;
  readonly subjectNames: SubjectNames;
}

export interface RbacSource {
  readonly index: RbacIndex;
  close(): void;
}

/** Forks and workspaces begin with the same entries, so what is in these is read once for all of them. */
const roles = new WeakMap<Entry, IndexedRole>();
const bindings = new WeakMap<Entry, Binding>();

function readOnce<T>(known: WeakMap<Entry, T>, entry: Entry, read: () => T): T {
  const before = known.get(entry);
  if (before !== undefined) return before;
  const found = read();
  known.set(entry, found);
  return found;
}

function readRole(entry: Entry<Role | ClusterRole>): IndexedRole {
  const { namespace, name } = entry;
  return { namespace, name, rules: (entry.object().rules ?? []).map(compileRule) };
}

function readBinding(entry: Entry<RoleBinding | ClusterRoleBinding>): Binding {
  const { namespace, name } = entry;
  const { roleRef, subjects } = entry.object();
  return { namespace, name, roleRef, subjects: subjects ?? [] };
}

/** The index holds everything the registry knows when this returns, and every change from then on. */
export function openRbacSource({ registry, catalog, subjectNames }: RbacSourceOptions): RbacSource {
  const index = new RbacIndex(subjectNames);
  const stops: (() => void)[] = [];
  const follow = <T extends ApiObject>(kind: Kind<T>, change: (entry: Entry<T>, deleted: boolean) => void) => {
    const bound = catalog.of(kind);
    stops.push(registry.observe(bound, ({ entry, deleted }) => change(entry, deleted)));
    for (const entry of registry.peekAll(bound)) change(entry, false);
  };
  const role = (entry: Entry<Role | ClusterRole>, deleted: boolean) => {
    const { namespace, name } = entry;
    if (deleted) index.deleteRole(namespace, name);
    else index.putRole(readOnce(roles, entry, () => readRole(entry)));
  };
  const binding = (entry: Entry<RoleBinding | ClusterRoleBinding>, deleted: boolean) => {
    const { namespace, name } = entry;
    if (deleted) return index.deleteBinding(namespace, name);
    index.setBinding(readOnce(bindings, entry, () => readBinding(entry)));
  };
  follow(ClusterRole, role);
  follow(Role, role);
  follow(ClusterRoleBinding, binding);
  follow(RoleBinding, binding);
  return {
    index,
    close() {
      for (const stop of stops) stop();
    },
  };
}
