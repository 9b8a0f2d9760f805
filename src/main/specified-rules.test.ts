/** Rules of the specification that v1.21 does not enforce. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "./library.ts";

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
