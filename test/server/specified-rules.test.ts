/** Rules of the specification that v1.21 does not enforce, and rulings on where the two differ. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

let server: OrchServer;
beforeAll(async () => {
  server = await createServer({ controllers: false });
});
afterAll(() => server.close());

async function send(method: string, path: string, body: object, type = "application/json") {
  const response = await server.fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  return { status: response.status, body: (await response.json()) as any };
}
const fieldsOf = (refused: { body: { details?: { causes?: { field: string }[] } } }) =>
  refused.body.details?.causes?.map(({ field }) => field);

test("the host of a webhook's URL must not be a service of the cluster", async () => {
  const path = "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations";
  const configured = (url: string) =>
    send("POST", path, {
      metadata: { generateName: "w-" },
      webhooks: [
        { name: "a.example.com", clientConfig: { url }, sideEffects: "None", admissionReviewVersions: ["v1"] },
      ],
    });
  for (const host of ["hook.shop.svc", "hook.shop.svc:8443", "hook.shop.svc.cluster.local", "HOOK.shop.SVC"]) {
    expect(fieldsOf(await configured(`https://${host}/path`))).toEqual(["webhooks[0].clientConfig.url"]);
  }
  for (const host of ["hook.example.com", "svc.example.com", "hook.shop.svcs", "127.0.0.1:8443"]) {
    expect((await configured(`https://${host}/path`)).status).toBe(201);
  }
});

test("at level 1.35 the host of a webhook's URL may be a service, of this cluster or another", async () => {
  await using late = await createServer({ emulatedVersion: "1.35", controllers: false });
  for (const host of ["hook.shop.svc:443", "hook.shop.svc.cluster.local"]) {
    const clientConfig = { url: `https://${host}/path` };
    const webhook = { name: "a.example.com", clientConfig, sideEffects: "None", admissionReviewVersions: ["v1"] };
    const body = JSON.stringify({ metadata: { generateName: "w-" }, webhooks: [webhook] });
    const path = "/apis/admissionregistration.orch.io/v1/mutatingwebhookconfigurations";
    const headers = { "content-type": "application/json" };
    expect((await late.fetch(path, { method: "POST", headers, body })).status).toBe(201);
  }
});

test("two managers that apply the same empty map or list share it", async () => {
  const apply = (manager: string, more: object) =>
    send(
      "PATCH",
      `/api/v1/namespaces/default/configmaps/shared?fieldManager=${manager}`,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared", labels: {} }, ...more },
      "application/apply-patch+yaml",
    );
  expect((await apply("one", { data: {} })).status).toBe(201);
  const second = await apply("two", { data: {} });
  expect(second.status).toBe(200);
  const owned = { "f:data": {}, "f:metadata": { "f:labels": {} } };
  expect(second.body.metadata.managedFields).toMatchObject([
    { manager: "one", fieldsV1: owned },
    { manager: "two", fieldsV1: owned },
  ]);
  // A value in place of the empty map is another value.
  expect((await apply("three", { data: { k: "v" } })).status).toBe(409);
});

test("a delete that does not remove the object answers the object that stays; one that does answers a Status", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const metadata = { name: "held", finalizers: ["example.com/hold"] };
  expect((await send("POST", path, { metadata })).status).toBe(201);
  const held = await send("DELETE", `${path}/held`, {});
  expect([held.status, held.body.kind, held.body.metadata.name]).toEqual([200, "ConfigMap", "held"]);
  expect(held.body.metadata.deletionTimestamp).toBeDefined();
  // The old way of asking for dependents to go first is the one that is only accepted.
  const accepted = await send("DELETE", `${path}/held`, { orphanDependents: false });
  expect([accepted.status, accepted.body.kind]).toEqual([202, "ConfigMap"]);
  const free = { metadata: { finalizers: null } };
  await send("PATCH", `${path}/held`, free, "application/merge-patch+json");
  expect((await send("POST", path, { metadata: { name: "plain" } })).status).toBe(201);
  const gone = await send("DELETE", `${path}/plain`, {});
  expect([gone.status, gone.body.kind, gone.body.status]).toEqual([200, "Status", "Success"]);
});

test("a definition without columns is listed with its age, a built-in kind without columns with its time of creation", async () => {
  const asTable = { headers: { accept: "application/json;as=Table;v=v1;g=meta.orch.io" } };
  const columns = async (path: string) => {
    const table = (await (await server.fetch(path, asTable)).json()) as { columnDefinitions: { name: string }[] };
    return table.columnDefinitions.map(({ name }) => name);
  };
  expect(await columns("/api/v1/namespaces/default/limitranges")).toEqual(["Name", "Created At"]);
  const definition = {
    metadata: { name: "plains.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "plains", kind: "Plain" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
  const path = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
  expect((await send("POST", path, definition)).status).toBe(201);
  expect(await columns("/apis/example.com/v1/plains")).toEqual(["Name", "Age"]);
});

test("a new node is tainted as not ready; what its spec and conditions say comes later", async () => {
  const taint = { key: "node.orch.io/not-ready", effect: "NoSchedule" };
  const node = { metadata: { name: "n" }, spec: { unschedulable: true } };
  const { body } = await send("POST", "/api/v1/nodes", node);
  expect(body.spec.taints).toEqual([taint]);
});
