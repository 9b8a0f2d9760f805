/** What clients see of releases that differ from those before and after them. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const levels = ["1.24", "1.28", "1.32", "1.37"] as const;
let servers: readonly OrchServer[] = [];

beforeAll(async () => {
  servers = await Promise.all(
    levels.map((emulatedVersion) =>
      createServer({ emulatedVersion, controllers: false, authorization: "AlwaysAllow" }),
    ),
  );
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

const core = "/api/v1";
const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const things = "/apis/example.com/v1/namespaces/default/things";

async function send(server: OrchServer, method: string, path: string, body?: object, headers: object = {}) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const sent = body === undefined ? { headers: { ...headers } } : { body: JSON.stringify(body) };
  const answer = await server.fetch(path, { method, headers: { "content-type": type, ...headers }, ...sent });
  const text = await answer.text();
  return { status: answer.status, type: answer.headers.get("content-type"), text };
}

/** Resolves when another definition can have the name. */
async function removeDefinition(server: OrchServer): Promise<void> {
  await send(server, "DELETE", `${definitions}/things.example.com`);
  await server.untilGone("CustomResourceDefinition", "things.example.com");
}

/** What each server answers, by level. */
async function each<T>(ask: (server: OrchServer) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (const server of servers) answers.push(await ask(server));
  return answers;
}

const definition = (conversion: object) => ({
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { status: { type: "object", properties: { n: { type: "integer" } } } },
        },
      },
    })),
    conversion,
  },
});

const withBundle = (text: string) => ({
  strategy: "Webhook",
  webhook: {
    conversionReviewVersions: ["v1"],
    clientConfig: { url: "https://example.com/convert", caBundle: Buffer.from(text).toString("base64") },
  },
});

test("errors below the status of a custom object say so, but at two releases", async () => {
  const fields = await each(async (server) => {
    await send(server, "POST", definitions, definition({ strategy: "None" }));
    await send(server, "POST", things, { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" } });
    const { text } = await send(server, "PATCH", `${things}/a/status`, { status: { n: "x" } });
    await removeDefinition(server);
    return (JSON.parse(text) as { details: { causes: { field: string }[] } }).details.causes[0]?.field;
  });
  expect(fields).toEqual(["status.n", "n", "status.n", "status.n"]);
});

test("objects whose converter cannot be checked are not served, whether or not the definition is established", async () => {
  const answers = await each(async (server) => {
    await send(server, "POST", definitions, definition(withBundle("no certificates")));
    const established = async () => {
      const { text } = await send(server, "GET", `${definitions}/things.example.com`);
      const { status } = JSON.parse(text) as { status: { conditions: { type: string; status: string }[] | null } };
      return status.conditions?.find(({ type }) => type === "Established")?.status;
    };
    await expect.poll(established).toBeDefined();
    const { status } = await send(server, "GET", things);
    const found = await established();
    await removeDefinition(server);
    return [found, status];
  });
  expect(answers).toEqual([
    ["True", 404],
    ["True", 404],
    ["False", 404],
    ["False", 404],
  ]);
});

test("a watch may not name a page since a release that checks it", async () => {
  await each((server) => send(server, "POST", `${core}/namespaces/default/configmaps`, { metadata: { name: "a" } }));
  await each((server) => send(server, "POST", `${core}/namespaces/default/configmaps`, { metadata: { name: "b" } }));
  const codes = await each(async (server) => {
    const { text } = await send(server, "GET", `${core}/namespaces/default/configmaps?limit=1`);
    const { continue: token } = (JSON.parse(text) as { metadata: { continue: string } }).metadata;
    const path = `${core}/namespaces/default/configmaps?watch=1&continue=${token}`;
    const watching = new AbortController();
    const { status } = await server.fetch(path, { signal: watching.signal });
    watching.abort();
    return status;
  });
  expect(codes).toEqual([200, 200, 422, 422]);
});

test("the status that a new volume is given stays at one release", async () => {
  const phases = await each(async (server) => {
    const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/d" } };
    const body = { metadata: { name: "v" }, spec, status: { phase: "Bound" } };
    const { text } = await send(server, "POST", `${core}/persistentvolumes`, body);
    return (JSON.parse(text) as { status: { phase: string } }).status.phase;
  });
  expect(phases).toEqual(["Bound", "Pending", "Pending", "Pending"]);
});

test("OpenAPI v3 describes the services of aggregation since a release after the others", async () => {
  const path = "/openapi/v3/apis/apiregistration.orch.io";
  const codes = await each(async (server) => [
    (await send(server, "GET", path)).status,
    (await send(server, "GET", `${path}/v1`)).status,
    (await send(server, "GET", "/openapi/v3")).text.includes("apiregistration"),
  ]);
  const shown = [200, 200, true];
  expect(codes).toEqual([[404, 404, false], shown, shown, shown]);
});

test("an unknown path is answered in plain text", async () => {
  const answers = await each((server) => send(server, "GET", "/metrics/none", undefined, { accept: "text/plain" }));
  for (const { status, type, text } of answers)
    expect([status, type, text]).toEqual([404, "text/plain; charset=utf-8", "404 page not found\n"]);
});

test("an error that has no form which the client accepts is indented JSON", async () => {
  const table = { accept: "application/json;as=Table;v=v1;g=meta.orch.io" };
  const texts = await each(async (server) => {
    const { text } = await send(server, "GET", `${core}/namespaces/default/pods/none`, undefined, table);
    return text;
  });
  for (const text of texts) expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
});

test("a pod that runs is resized within its node since a release that looks", async () => {
  const resources = (cpu: string) => ({ containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }] });
  const [, , , late] = servers;
  const made = { metadata: { name: "p" }, spec: { nodeName: "n", ...resources("1") } };
  await send(late!, "POST", `${core}/namespaces/default/pods`, made);
  const resize = (cpu: string) =>
    send(late!, "PATCH", `${core}/namespaces/default/pods/p/resize`, { spec: resources(cpu) });
  expect((await resize("2")).status).toBe(403);
  const labels = { "orch.io/os": "linux" };
  const status = { allocatable: { cpu: "2", memory: "1Gi" }, capacity: { cpu: "2", memory: "1Gi" } };
  await send(late!, "POST", `${core}/nodes`, { metadata: { name: "n", labels }, status });
  expect((await resize("2")).status).toBe(200);
  expect(JSON.parse((await resize("3")).text)).toMatchObject({
    code: 403,
    details: { causes: [{ reason: "NodeCapacity" }] },
  });
});
