import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Exchange } from "./contract/exchange.ts";
import { pingCheck } from "./health/checks.ts";
import { ask, openTestServer, type TestServer } from "./server.fixture.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({
    routes: [
      { path: "/one-way", method: "GET", handle: (exchange) => exchange.send(200, {}, "") },
      { path: "/keys", handle: (exchange) => exchange.send(200, { "content-type": "text/plain" }, "keys") },
      {
        path: "/console/",
        listed: false,
        handle: (exchange, { path }) => exchange.send(200, { "content-type": "text/plain" }, path),
      },
    ],
    delegate: {
      groups: () => [{ group: "far.example.com", versions: ["v1"], preferred: "v1" }],
      withholds: () => false,
      serves: (group) => group === "far.example.com",
      handle: async (exchange: Exchange, { path }) =>
        exchange.send(200, { "content-type": "text/plain" }, `far ${path}`),
    },
  });
});
afterAll(() => server.close());

test("since 1.27 the results of health checks are metrics with a path of their own", async () => {
  expect((await ask(server.fetch, "GET", "/metrics/slis"))[0]).toBe(404);
  const today = await openTestServer({ level: "1.35", healthChecks: [pingCheck] });
  try {
    await today.fetch("/readyz");
    await today.fetch("/livez/ping");
    const answer = await today.fetch("/metrics/slis");
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
    const text = await answer.text();
    expect(text).toContain('orch_healthcheck{name="ping",type="readyz"} 1\n');
    expect(text).toContain('orch_healthchecks_total{name="ping",status="success",type="livez"} 1\n');
    expect(await (await today.fetch("/metrics")).text()).not.toContain("orch_healthcheck");
    const [, root] = await ask(today.fetch, "GET", "/index.html");
    expect(root).toMatchObject({ paths: expect.arrayContaining(["/metrics", "/metrics/slis"]) });
  } finally {
    await today.close();
  }
});

describe("paths that are not resources", () => {
  test("routes of other rooms answer at their path, or below it", async () => {
    expect(await ask(server.fetch, "GET", "/keys")).toEqual([200, "keys"]);
    expect(await ask(server.fetch, "GET", "/console/a/b.js")).toEqual([200, "/console/a/b.js"]);
    expect((await ask(server.fetch, "GET", "/keys/x"))[0]).toBe(404);
  });

  test("the root lists all paths", async () => {
    const [, body] = await ask(server.fetch, "GET", "/");
    const { paths } = body as { paths: string[] };
    expect(paths).toContain("/keys");
    expect(paths).toContain("/apis/toys.example.com/v1");
    expect(paths).not.toContain("/console/");
  });

  test("groups of aggregated servers are listed, and their requests are delegated", async () => {
    const [, body] = await ask(server.fetch, "GET", "/apis");
    const { groups } = body as { groups: { name: string }[] };
    expect(groups.map(({ name }) => name)).toEqual(["toys.example.com", "far.example.com"]);
    for (const path of ["/apis/far.example.com/v1", "/apis/far.example.com/v1/namespaces/a/things/x"]) {
      expect(await ask(server.fetch, "GET", path)).toEqual([200, `far ${path}`]);
    }
  });

  test("some paths are read-only, others accept any method", async () => {
    for (const path of ["/version", "/api", "/api/v1", "/apis/toys.example.com/v1", "/one-way"]) {
      for (const method of ["HEAD", "POST", "DELETE"]) {
        expect([path, method, (await server.fetch(path, { method })).status]).toEqual([path, method, 405]);
      }
    }
    for (const path of ["/apis", "/apis/toys.example.com", "/healthz", "/openapi/v2"]) {
      for (const method of ["HEAD", "POST"]) {
        expect([path, method, (await server.fetch(path, { method })).status]).toEqual([path, method, 200]);
      }
    }
  });

  test("group documents accept a media range such as application/*, others do not", async () => {
    const codes = await Promise.all(
      ["/apis", "/apis/toys.example.com", "/apis/toys.example.com/v1", "/api"].map(
        async (path) => (await server.fetch(path, { headers: { accept: "application/*" } })).status,
      ),
    );
    expect(codes).toEqual([200, 200, 406, 406]);
  });

  test("the version is available as JSON only", async () => {
    expect((await server.fetch("/version", { headers: { accept: "text/html, */*" } })).status).toBe(200);
    expect((await server.fetch("/version", { headers: { accept: "application/yaml" } })).status).toBe(406);
  });

  test("OpenAPI has an ETag, and is not sent again to clients that have it", async () => {
    const first = await server.fetch("/openapi/v2");
    const etag = first.headers.get("etag")!;
    expect(Object.keys(((await first.json()) as { definitions: object }).definitions).join()).toContain("Gadget");
    expect((await server.fetch("/openapi/v2", { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await server.fetch("/openapi/v2", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
    expect((await server.fetch("/openapi/v2", { headers: { accept: "text/html" } })).status).toBe(406);
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const protobuf = await server.fetch("/openapi/v2", { headers: { accept } });
    expect([protobuf.status, protobuf.headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
  });
});
