/** Keeps an RBAC index equal to the roles and bindings that the registry knows. */

import type { Catalog, Family } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Entry, Registry } from "../registry/contract.ts";
import type { PolicyRule } from "./policy-rule.ts";
import type { RoleRef, Subject } from "./rbac-index.ts";
import { RbacIndex } from "./rbac-index.ts";
import type { SubjectNames } from "./subject-names.ts";

export interface RbacSourceOptions {
  readonly registry: Pick<Registry, "observe" | "peekAll">;
  readonly catalog: Catalog;
  readonly subjectNames: SubjectNames;
}

export interface RbacSource {
  readonly index: RbacIndex;
  close(): void;
}

/** The index holds everything the registry knows when this returns, and every change from then on. */
export function openRbacSource({ registry, catalog, subjectNames }: RbacSourceOptions): RbacSource {
  const index = new RbacIndex(subjectNames);
  const stops: (() => void)[] = [];
  const follow = (resource: string, change: (entry: Entry, deleted: boolean) => void) => {
    const family = rbacFamily(catalog, resource);
    stops.push(registry.observe(family, ({ entry, deleted }) => change(entry, deleted)));
    for (const entry of registry.peekAll(family)) change(entry, false);
  };
  const role = (entry: Entry, deleted: boolean) => {
    const { namespace, name } = entry;
    if (deleted) index.deleteRole(namespace, name);
    else index.setRole(namespace, name, fields<{ rules?: readonly PolicyRule[] | null }>(entry.object()).rules);
  };
  const binding = (entry: Entry, deleted: boolean) => {
    const { namespace, name } = entry;
    if (deleted) return index.deleteBinding(namespace, name);
    const { roleRef, subjects } = fields<{ roleRef: RoleRef; subjects?: readonly Subject[] | null }>(entry.object());
    index.setBinding({ namespace, name, roleRef, subjects: subjects ?? [] });
  };
  follow("clusterroles", role);
  follow("roles", role);
  follow("clusterrolebindings", binding);
  follow("rolebindings", binding);
  return {
    index,
    close() {
      for (const stop of stops) stop();
    },
  };
}

function rbacFamily(catalog: Catalog, resource: string): Family {
  const group = catalog.environment.vocabulary.group("rbac.authorization.orch.io");
  const kind = catalog.byResource(group, "v1", resource);
  if (kind === undefined) throw new Error(`the catalog has no ${resource}, which RBAC is made of`);
  return kind.family;
}

/** Stored objects of the four kinds have been validated, so they have the shape that their declaration gives them. */
function fields<T>(object: ApiObject): T {
  return object as unknown as T;
}
