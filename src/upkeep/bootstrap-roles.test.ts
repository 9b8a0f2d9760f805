import { describe, expect, test } from "vitest";
import { bootstrapObjects } from "../authz/bootstrap/objects.ts";
import { rbacCatalog as catalog } from "../authz/rbac-catalog.suite.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { alreadyExists } from "../machinery/status/status.ts";
import type { Entry, ObjectRef } from "../registry/contract/entry.ts";
import type { UpdateFunction } from "../registry/contract/registry.ts";
import { orch } from "../vocabulary/orch.ts";
import { type BootstrapRegistry, merge, reconcileBootstrapObjects } from "./bootstrap-roles.ts";

const written = (object: ApiObject) => ({ entry: { object: () => object } as Entry, created: true });

/** As much of a registry as reconciliation uses. */
function fakeRegistry(hidden: ReadonlySet<string> = new Set()) {
  const objects = new Map<string, ApiObject>();
  const writes: string[] = [];
  const key = (resource: string, ref: { namespace: string; name: string }) =>
    `${resource}/${ref.namespace}/${ref.name}`;
  const registry = {
    peek(kind: BoundKind, ref: ObjectRef) {
      const at = key(kind.resource, ref);
      const object = hidden.has(at) ? undefined : objects.get(at);
      return object && ({ object: () => object } as Entry);
    },
    async create(kind: BoundKind, object: ApiObject, ref: ObjectRef) {
      const at = key(kind.resource, ref);
      if (objects.has(at) || hidden.has(at)) throw alreadyExists({ group: kind.group, kind: kind.resource }, ref.name);
      writes.push(`create ${at}`);
      objects.set(at, object);
      return written(object);
    },
    async update(kind: BoundKind, ref: ObjectRef, change: UpdateFunction) {
      const at = key(kind.resource, ref);
      writes.push(`update ${at}`);
      const object = await change(objects.get(at));
      objects.set(at, object);
      return written(object);
    },
    async delete(kind: BoundKind, ref: ObjectRef) {
      const at = key(kind.resource, ref);
      writes.push(`delete ${at}`);
      const object = objects.get(at)!;
      objects.delete(at);
      return { ...written(object), removed: true, answer: "status" as const };
    },
  } as BootstrapRegistry; // the methods of a registry also infer types from kinds
  return { registry, objects, writes };
}
const discovery = "clusterrolebindings//system:discovery";

describe("reconciliation at the start", () => {
  test("an empty store gets all objects, roles before bindings; a complete one gets none", async () => {
    const { registry, objects, writes } = fakeRegistry();
    await reconcileBootstrapObjects({ registry, catalog });
    expect(objects.size).toBe(bootstrapObjects({ vocabulary: orch }).length);
    const lastRole = writes.findLastIndex((write) => /create (cluster)?roles\//.test(write));
    expect(writes.findIndex((write) => write.includes("bindings/"))).toBeGreaterThan(lastRole);
    writes.length = 0;
    await reconcileBootstrapObjects({ registry, catalog });
    expect(writes).toEqual([]);
  });

  test("removed rights and subjects are restored, additions stay", async () => {
    const { registry, objects, writes } = fakeRegistry();
    await reconcileBootstrapObjects({ registry, catalog });
    const added = { kind: "User", apiGroup: "rbac.authorization.orch.io", name: "eve" };
    objects.set(discovery, { ...objects.get(discovery)!, subjects: [added] });
    const view = "clusterroles//system:aggregate-to-view";
    const extra = { verbs: ["get"], apiGroups: ["x"], resources: ["y"] };
    objects.set(view, { ...objects.get(view)!, rules: [extra] });
    writes.length = 0;
    await reconcileBootstrapObjects({ registry, catalog });
    expect(writes.sort()).toEqual([`update ${discovery}`, `update ${view}`]);
    expect(objects.get(discovery)?.subjects).toEqual([
      added,
      expect.objectContaining({ name: "system:authenticated" }),
    ]);
    expect(objects.get(view)?.rules).toHaveLength(10);
  });

  test("an object whose autoupdate is false is left alone", async () => {
    const { registry, objects, writes } = fakeRegistry();
    await reconcileBootstrapObjects({ registry, catalog });
    const old = objects.get(discovery)!;
    const annotations = { "rbac.authorization.orch.io/autoupdate": "false" };
    objects.set(discovery, { ...old, metadata: { ...old.metadata, annotations }, subjects: [] });
    writes.length = 0;
    await reconcileBootstrapObjects({ registry, catalog });
    expect(writes).toEqual([]);
  });

  test("a binding to another role is recreated", async () => {
    const { registry, objects, writes } = fakeRegistry();
    await reconcileBootstrapObjects({ registry, catalog });
    objects.set(discovery, { ...objects.get(discovery)!, roleRef: { kind: "ClusterRole", name: "other" } });
    writes.length = 0;
    await reconcileBootstrapObjects({ registry, catalog });
    expect(writes).toEqual([`delete ${discovery}`, `create ${discovery}`]);
  });

  test("another server that was faster is not an error", async () => {
    const { registry } = fakeRegistry(new Set([discovery]));
    await reconcileBootstrapObjects({ registry, catalog });
  });

  test("selectors of an aggregated role are restored; its rules belong to the controller", () => {
    const admin = bootstrapObjects({ vocabulary: orch }).find(({ metadata }) => metadata.name === "admin")!;
    const existing: ApiObject = { ...admin, aggregationRule: null, rules: [{ verbs: ["get"] }] };
    expect(merge(admin, existing)).toMatchObject({
      aggregationRule: admin.aggregationRule,
      rules: [{ verbs: ["get"] }],
    });
    expect(merge(admin, { ...admin, rules: [{ verbs: ["get"] }] })).toBeUndefined();
  });
});
