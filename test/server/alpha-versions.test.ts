import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

let server: OrchServer;
beforeAll(async () => {
  server = await createServer({ controllers: false, runtimeConfig: { "api/alpha": true } });
});
afterAll(() => server.close());

async function ask(path: string, body?: object) {
  const headers = { "content-type": "application/json" };
  const response = await server.fetch(path, body && { method: "POST", headers, body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  return { status: response.status, body: (await response.json()) as any };
}

test("alpha versions are served if they are enabled, and only then", async () => {
  const versions = [
    ["internal.apiserver.orch.io", "StorageVersion"],
    ["node.orch.io", "RuntimeClass"],
    ["rbac.authorization.orch.io", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    ["scheduling.orch.io", "PriorityClass"],
    ["storage.orch.io", "CSIStorageCapacity", "VolumeAttachment"],
  ] as const;
  await using usual = await createServer({ controllers: false });
  for (const [group, ...kinds] of versions) {
    const { body } = await ask(`/apis/${group}/v1alpha1`);
    const found: { kind: string }[] = body.resources;
    expect([...new Set(found.map(({ kind }) => kind))].sort()).toEqual([...kinds].sort());
    expect((await usual.fetch(`/apis/${group}/v1alpha1`)).status).toBe(404);
  }
  const preferred = (await ask("/apis/rbac.authorization.orch.io")).body.versions as { version: string }[];
  expect(preferred.map(({ version }) => version)).toEqual(["v1", "v1beta1", "v1alpha1"]);
});

test("subjects of v1alpha1 name an API version, those of v1 a group", async () => {
  const below = "namespaces/default/rolebindings";
  const alpha = "/apis/rbac.authorization.orch.io/v1alpha1";
  const made = await ask(`${alpha}/${below}`, {
    metadata: { name: "b" },
    roleRef: { kind: "Role", name: "r" },
    subjects: [
      { kind: "User", name: "jane" },
      { kind: "User", name: "*" },
      { kind: "ServiceAccount", name: "builder", namespace: "default" },
    ],
  });
  expect(made.status).toBe(201);
  const everyone = { kind: "Group", name: "system:authenticated" };
  const account = { kind: "ServiceAccount", name: "builder", namespace: "default" };
  const apiVersion = "rbac.authorization.orch.io/v1alpha1";
  expect(made.body.subjects).toEqual([
    { kind: "User", apiVersion, name: "jane" },
    { ...everyone, apiVersion },
    { ...account, apiVersion: "v1" },
  ]);
  const apiGroup = "rbac.authorization.orch.io";
  expect((await ask(`/apis/${apiGroup}/v1/${below}/b`)).body.subjects).toEqual([
    { kind: "User", apiGroup, name: "jane" },
    { ...everyone, apiGroup },
    account,
  ]);
});

test("a RuntimeClass of v1alpha1 has its fields in a spec", async () => {
  const alpha = "/apis/node.orch.io/v1alpha1/runtimeclasses";
  const spec = { runtimeHandler: "sandbox", scheduling: { nodeSelector: { a: "b" } } };
  const made = await ask(alpha, { metadata: { name: "c" }, spec });
  expect([made.status, made.body.spec]).toEqual([201, spec]);
  const { handler, scheduling } = (await ask("/apis/node.orch.io/v1/runtimeclasses/c")).body;
  expect({ runtimeHandler: handler, scheduling }).toEqual(spec);
});

test("a StorageVersion is named by group and resource, and its status agrees with itself", async () => {
  const path = "/apis/internal.apiserver.orch.io/v1alpha1/storageversions";
  expect((await ask(path, { metadata: { name: "deployments" }, spec: {} })).status).toBe(422);
  expect((await ask(path, { metadata: { name: "apps.deployments" }, spec: {} })).status).toBe(201);
  const put = async (status: object) => {
    const response = await server.fetch(`${path}/apps.deployments/status`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ status }),
    });
    return response.status;
  };
  const reported = (id: string, version: string, decodable = [version]) => ({
    apiServerID: id,
    encodingVersion: version,
    decodableVersions: decodable,
  });
  const cases: readonly [status: number, storageVersions: object[], common: string | null][] = [
    [200, [reported("a", "apps/v1"), reported("b", "apps/v1")], "apps/v1"],
    [422, [reported("a", "apps/v1"), reported("b", "apps/v1")], null],
    [422, [reported("a", "apps/v1"), reported("b", "apps/v2")], "apps/v1"],
    [200, [reported("a", "apps/v1"), reported("b", "apps/v2")], null],
    [422, [reported("a", "apps/v1", ["apps/v2"])], "apps/v1"],
  ];
  for (const [status, storageVersions, commonEncodingVersion] of cases)
    expect(await put({ storageVersions, commonEncodingVersion })).toBe(status);
});
