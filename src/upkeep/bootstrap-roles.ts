/**
 * Restores the default roles and bindings at each start: missing objects are created, rights and subjects that were removed
 * are added again, additions stay. An object whose `autoupdate` annotation is `false` is left alone.
 */

import { ClusterRole } from "../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../api/rbac/v1/cluster-role-binding.ts";
import { Role } from "../api/rbac/v1/role.ts";
import { RoleBinding } from "../api/rbac/v1/role-binding.ts";
import type { DeclaredRole } from "../authz/bootstrap/declare.ts";
import { autoupdateAnnotation, bootstrapObjects } from "../authz/bootstrap/objects.ts";
import { covers } from "../authz/coverage.ts";
import { compileRule, type PolicyRule } from "../authz/policy-rule.ts";
import type { BindingSubject, RoleRef } from "../authz/rbac-index.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import type { WriteContext } from "../registry/contract/write-context.ts";
import { unlessUnreadable } from "./unless-unreadable.ts";

/** What reconciliation uses of a registry. */
export type BootstrapRegistry = Pick<Registry, "peek" | "create" | "update" | "delete">;

interface ReconcileOptions {
  readonly registry: BootstrapRegistry;
  readonly catalog: Catalog;
  /** Default: the objects of bootstrap/ in the catalog's vocabulary. */
  readonly objects?: readonly ApiObject[];
  /** See BootstrapOptions.narrowEdit. */
  readonly narrowEdit?: boolean;
  /** Default: those of the product. */
  readonly declared?: readonly DeclaredRole[];
}

/** Resolves when everything is in the store. The namespaces of the objects must exist. */
export async function reconcileBootstrapObjects(options: ReconcileOptions): Promise<void> {
  const { registry, catalog, narrowEdit = false, declared } = options;
  const { vocabulary, level, gates } = catalog.environment;
  const objects = options.objects ?? bootstrapObjects({ vocabulary, level, gates, narrowEdit, declared });
  const context = serverWrites("bootstrap objects", vocabulary);
  // Bindings come after roles, so that no binding ever refers to a missing role; within each group, all are written at once.
  const isRole = (object: ApiObject) => object.kind === "Role" || object.kind === "ClusterRole";
  const reconcileAll = (some: readonly ApiObject[]) =>
    Promise.all(some.map((object) => unlessUnreadable(reconcile(object, registry, catalog, context))));
  await reconcileAll(objects.filter(isRole));
  await reconcileAll(objects.filter((object) => !isRole(object)));
}

async function reconcile(
  expected: ApiObject,
  registry: BootstrapRegistry,
  catalog: Catalog,
  context: WriteContext,
): Promise<void> {
  const declared = kinds.find(({ kind }) => kind === expected.kind);
  if (declared === undefined) throw new Error(`${expected.kind} is not a kind of RBAC`);
  const kind = catalog.of(declared);
  const ref = { namespace: expected.metadata.namespace ?? "", name: expected.metadata.name ?? "" };
  const autoupdate = catalog.environment.vocabulary.word(autoupdateAnnotation);
  const entry = registry.peek(kind, ref);
  if (entry === undefined) {
    await registry.create(kind, draftOf(expected), ref, context).catch((error: unknown) => {
      // Another server on the same store was faster; it creates the same object.
      if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
    });
    return;
  }
  const existing = entry.object();
  if (existing.metadata.annotations?.[autoupdate] === "false") return;
  if (changesRole(expected, existing)) {
    // A roleRef cannot be changed, so the binding is deleted and created again.
    await registry.delete(kind, ref, {}, context);
    await registry.create(kind, draftOf(expected), ref, context);
    return;
  }
  if (merge(expected, existing) === undefined) return;
  await registry.update(kind, ref, (current) => merge(expected, current ?? existing) ?? current ?? existing, context, {
    retry: true,
  });
}

/** A create sets metadata; rules and subjects are complete, and nothing changes them. Copying them too took 12 ms of a start. */
const draftOf = (expected: ApiObject): ApiObject => ({ ...expected, metadata: { ...expected.metadata } });

const kinds: readonly Kind[] = [ClusterRole, ClusterRoleBinding, Role, RoleBinding];

/** The fields of the four kinds, once validated. */
interface RbacFields {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly unknown[] | null } | null;
  readonly roleRef?: RoleRef;
  readonly subjects?: readonly BindingSubject[] | null;
}
const fields = (object: ApiObject): RbacFields => object as ApiObject & RbacFields;

function changesRole(expected: ApiObject, existing: ApiObject): boolean {
  const [want, have] = [fields(expected).roleRef, fields(existing).roleRef];
  return want !== undefined && (want.kind !== have?.kind || want.name !== have.name);
}

/** `existing` with everything `expected` has; undefined: it already has everything. */
export function merge(expected: ApiObject, existing: ApiObject): ApiObject | undefined {
  const next: ApiObject = { ...existing, metadata: { ...existing.metadata } };
  let changed = false;
  for (const key of ["labels", "annotations"] as const) {
    const merged = { ...expected.metadata[key], ...existing.metadata[key] };
    if (Object.keys(merged).length !== Object.keys(existing.metadata[key] ?? {}).length) changed = true;
    next.metadata[key] = merged;
  }
  const want = fields(expected);
  const have = fields(existing);
  if (want.aggregationRule) {
    const selectors = have.aggregationRule?.clusterRoleSelectors ?? [];
    const missing = missingValues(want.aggregationRule.clusterRoleSelectors ?? [], selectors);
    if (missing.length > 0) next.aggregationRule = { clusterRoleSelectors: [...selectors, ...missing] };
    changed ||= missing.length > 0;
  } else if (want.rules) {
    const missing = want.rules.filter((rule) => !covers((have.rules ?? []).map(compileRule), [rule]).covered);
    if (missing.length > 0) next.rules = [...(have.rules ?? []), ...missing];
    changed ||= missing.length > 0;
  }
  if (want.subjects) {
    const missing = missingValues(want.subjects, have.subjects ?? []);
    if (missing.length > 0) next.subjects = [...(have.subjects ?? []), ...missing];
    changed ||= missing.length > 0;
  }
  return changed ? next : undefined;
}

function missingValues(wanted: readonly unknown[], have: readonly unknown[]): unknown[] {
  const known = new Set(have.map(canonical));
  return wanted.filter((value) => !known.has(canonical(value)));
}

/** Gives one text for one value, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
