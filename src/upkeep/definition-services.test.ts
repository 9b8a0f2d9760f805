import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../main/library.ts";

const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const services = "/apis/apiregistration.orch.io/v1/apiservices";
const schema = { openAPIV3Schema: { type: "object" } };
let server: OrchServer;
beforeAll(async () => {
  server = await createServer({});
});
afterAll(() => server.close());

async function call(method: string, path: string, body?: object) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const options = { method, headers: { "content-type": type } };
  const response = await server.fetch(path, body === undefined ? options : { ...options, body: JSON.stringify(body) });
  return { code: response.status, object: (await response.json()) as { metadata: object; spec: object } };
}

const versions = (...served: boolean[]) =>
  served.map((is, index) => ({ name: `v${index + 1}`, served: is, storage: index === 0, schema }));
const define = (group: string, plural: string, ...served: boolean[]) =>
  call("POST", definitions, {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Cluster", names: { plural, kind: `K${plural}` }, versions: versions(...served) },
  });
const until = (name: string, code: number) =>
  expect.poll(async () => (await call("GET", `${services}/${name}`)).code).toBe(code);

test("every version that a definition serves has an API service, for as long as one serves it", async () => {
  const group = "kept.example.com";
  expect((await define(group, "apples", true, true, false)).code).toBe(201);
  expect((await define(group, "pears", true)).code).toBe(201);
  await until(`v1.${group}`, 200);
  await until(`v2.${group}`, 200);
  expect((await call("GET", `${services}/v1.${group}`)).object).toMatchObject({
    metadata: { labels: { "orch-aggregator.orch.io/automanaged": "true" } },
    spec: { group, version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 },
  });
  expect((await call("GET", `${services}/v3.${group}`)).code).toBe(404);

  await call("PATCH", `${definitions}/apples.${group}`, { spec: { versions: versions(true, false, false) } });
  await until(`v2.${group}`, 404);
  await call("DELETE", `${definitions}/apples.${group}`);
  await expect.poll(async () => (await call("GET", `${definitions}/apples.${group}`)).code).toBe(404);
  expect((await call("GET", `${services}/v1.${group}`)).code).toBe(200);
  await call("DELETE", `${definitions}/pears.${group}`);
  await until(`v1.${group}`, 404);
});

test("an API service of a definition that is changed or deleted is restored", async () => {
  const name = "v1.back.example.com";
  await define("back.example.com", "plums", true);
  await until(name, 200);
  await call("PATCH", `${services}/${name}`, { spec: { versionPriority: 7 } });
  await expect
    .poll(async () => (await call("GET", `${services}/${name}`)).object.spec)
    .toMatchObject({ versionPriority: 100 });
  await call("DELETE", `${services}/${name}`);
  await until(name, 200);
});

test("an API service that a user created is not changed", async () => {
  const spec = { group: "own.example.com", version: "v1", groupPriorityMinimum: 5, versionPriority: 5 };
  await call("POST", services, { metadata: { name: "v1.own.example.com" }, spec });
  await define("own.example.com", "figs", true);
  await define("other.example.com", "figs", true);
  await until("v1.other.example.com", 200); // by now the first has been processed
  expect((await call("GET", `${services}/v1.own.example.com`)).object.spec).toEqual(spec);
});
