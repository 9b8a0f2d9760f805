import { describe, expect, test } from "vitest";
import { catalog as declared } from "../api/catalog.ts";
import { silentLog } from "../base/log.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import { customKind } from "../machinery/schema/custom-kind.suite.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import { testEnvironment } from "../testing/all-kinds.ts";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { orch } from "../vocabulary/orch.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { admitAll } from "./contract/admission.ts";
import { context, refusal } from "./fixture.suite.ts";
import { openRegistry } from "./registry.ts";

/** A kind that has the names of a built-in one, in a version that no built-in kind has. */
const lookalike = (group: string, { namespaced, hub: { kind, resource } }: Family) =>
  customKind({
    group,
    version: "v99",
    kind,
    resource,
    scope: namespaced ? "Namespaced" : "Cluster",
    doc: "",
    name: "pathSegment",
    fields: {},
  });

async function openWorld(vocabulary: Vocabulary) {
  const environment = testEnvironment({ vocabulary });
  const catalog = createCatalog(declared, environment);
  const builtin = catalog.families();
  const kv = createMemoryKv();
  const met: string[] = [];
  const strategy = (id: string) => ({
    async begin() {
      met.push(id);
      return { async stored() {}, async failed() {} };
    },
    async end() {
      met.push(id);
    },
  });
  const registry = await openRegistry({
    kv,
    catalog,
    admission: admitAll,
    clock: environment.clock,
    log: silentLog,
    allocators: new Map(builtin.map(({ id }) => [id, strategy(id)])),
  });
  return { catalog, builtin, kv, registry, met };
}

const inNamespace = ({ namespaced }: BoundKind) => (namespaced ? "a" : "");

describe.each([orch, kubernetes])(
  "with the $name vocabulary, custom kinds that have every built-in name",
  (vocabulary) => {
    test.each(["as declarations spell it", "as the server speaks it"])(
      "%s share nothing with them",
      async (spelling) => {
        const { catalog, builtin, kv, registry, met } = await openWorld(vocabulary);
        const ids = new Set(builtin.map(({ id }) => id));
        // The core group has no name that a definition could give.
        for (const family of builtin.filter(({ hub }) => hub.group !== "")) {
          const group =
            spelling === "as declarations spell it" ? String(family.hub.declaration.group) : family.hub.group;
          const custom = lookalike(group, family);
          catalog.replace({ add: [custom] });
          const bound = catalog.byResource(group, "v99", family.hub.resource)!;
          expect(ids.has(bound.family.id)).toBe(false);
          for (const name of ["x", "y"]) {
            const ref = { namespace: inNamespace(bound), name };
            await registry.create(bound, decodeKind(bound, { metadata: { name } }), ref, context());
          }
          // Collections and allocators.
          expect([...registry.peekAll(bound)].map(({ name }) => name)).toEqual(["x", "y"]);
          expect([...registry.peekAll(family.hub)]).toEqual([]);
          expect((await registry.list(family.hub, { namespace: "" })).entries).toEqual([]);
          // Continue tokens.
          const query = { namespace: inNamespace(bound), limit: 1 };
          const { continue: token } = await registry.list(bound, query);
          expect(await refusal(registry.list(family.hub, { ...query, continue: token }))).toMatchObject({ code: 400 });
          catalog.replace({ remove: [custom] });
        }
        expect(met).toEqual([]);
        const { entries } = await kv.range("/", { limit: 10_000 });
        for (const { key } of entries) expect(key).toMatch(/^\/custom:/);
        await registry.close();
      },
    );
  },
);

test("a custom kind cannot join the core group, nor have a name that leaves its key prefix", () => {
  const catalog = createCatalog(declared, testEnvironment());
  const [pods] = catalog.families().filter(({ id }) => id === "core/pods");
  for (const group of ["", "a/b", "core:x", "..", "A"]) {
    expect(() => catalog.replace({ add: [lookalike(group, pods!)] })).toThrow("cannot be part of the name");
  }
});

test("a built-in kind is found by its declaration, even if another kind has the same names", () => {
  const off = { isEnabled: (group: string, version: string) => !(group === "batch" && version === "v1beta1") };
  const catalog = createCatalog(declared, testEnvironment(), off);
  const beta = declared.find(({ group, version, kind }) => `${group}/${version} ${kind}` === "batch/v1beta1 CronJob")!;
  const before = catalog.of(beta);
  catalog.replace({ add: [{ ...lookalike("batch", before.family), version: "v1beta1" }] });
  expect(catalog.byResource("batch", "v1beta1", "cronjobs")?.family.id).toBe("custom:batch/cronjobs");
  expect(catalog.of(beta)).toBe(before);
  expect(catalog.isServed(before)).toBe(false);
});
