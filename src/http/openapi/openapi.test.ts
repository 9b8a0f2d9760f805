import { expect, test } from "vitest";
import { decodeProtobuf } from "../../machinery/codec/protobuf.ts";
import { documentMessage } from "../../machinery/openapi/v3-messages.ts";
import { openTestServer } from "../server.fixture.ts";

test("documents are made once, even for concurrent requests", async () => {
  const { catalog, fetch, close } = await openTestServer();
  let made = 0;
  const groups = catalog.groups.bind(catalog);
  catalog.groups = () => {
    made++;
    return groups();
  };
  const answers = await Promise.all(Array.from({ length: 10 }, () => fetch("/openapi/v2")));
  const tags = answers.map(({ status, headers }) => `${status} ${headers.get("etag")}`);
  expect(new Set(tags).size).toBe(1);
  expect(tags[0]).toMatch(/^200 "[0-9A-F]{64}"$/);
  const once = made;
  expect(once).toBeLessThan(answers.length);
  await fetch("/openapi/v2");
  expect(made).toBe(once);
  const known = { "if-none-match": answers[0]?.headers.get("etag") ?? "" };
  expect((await fetch("/openapi/v2", { headers: known })).status).toBe(304);
  await close();
});

test("/openapi/v3 lists every document, with the hash of its content", async () => {
  const { fetch, close } = await openTestServer();
  const { paths } = (await (await fetch("/openapi/v3")).json()) as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  expect(Object.keys(paths)).toEqual([
    "api",
    "api/v1",
    "apis",
    "apis/toys.example.com",
    "apis/toys.example.com/v1",
    "apis/toys.example.com/v1beta1",
    "version",
  ]);
  for (const { serverRelativeURL } of Object.values(paths)) {
    const { status, headers } = await fetch(serverRelativeURL);
    expect([status, headers.get("cache-control")]).toEqual([200, "public, immutable"]);
    const etag = `"${new URLSearchParams(serverRelativeURL.split("?")[1]).get("hash")}"`;
    expect(headers.get("etag")).toBe(etag);
    expect((await fetch(serverRelativeURL, { headers: { "if-none-match": etag } })).status).toBe(304);
  }
  await close();
});

test("a v3 document that is requested with an old hash is found under the new one", async () => {
  const { fetch, close } = await openTestServer();
  const path = "/openapi/v3/apis/toys.example.com/v1";
  const plain = await fetch(path);
  expect([plain.status, plain.headers.get("cache-control"), plain.headers.get("vary")]).toEqual([
    200,
    "no-cache, private",
    "Accept",
  ]);
  const old = await fetch(`${path}?hash=0`, { redirect: "manual" });
  expect([old.status, old.headers.get("location")]).toEqual([
    301,
    `${path}?hash=${plain.headers.get("etag")?.slice(1, -1)}`,
  ]);
  await close();
});

test("v3 documents say the same in protobuf", async () => {
  const { fetch, close } = await openTestServer();
  const path = "/openapi/v3/apis/toys.example.com/v1";
  const accept = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";
  const answer = await fetch(path, { headers: { accept } });
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  const message = decodeProtobuf(documentMessage, Buffer.from(await answer.arrayBuffer())) as {
    paths: { entries: { name: string; value: { get?: { operationId: string } } }[] };
    components: { schemas: { entries: { name: string; value: { schema?: object } }[] } };
  }; // as documentMessage declares it
  const json = (await (await fetch(path)).json()) as {
    paths: Record<string, { get?: { operationId: string } }>;
    components: { schemas: Record<string, object> };
  };
  const ids = (list: readonly (readonly [string, { get?: { operationId: string } }])[]) =>
    list.map(([name, { get }]) => [name, get?.operationId]);
  expect(ids(message.paths.entries.map(({ name, value }) => [name, value]))).toEqual(ids(Object.entries(json.paths)));
  const { entries } = message.components.schemas;
  expect(entries.map(({ name }) => name)).toEqual(Object.keys(json.components.schemas));
  expect(entries.find(({ name }) => name.endsWith("GadgetSpec"))?.value.schema).toMatchObject({
    type: "object",
    properties: {
      entries: expect.arrayContaining([{ name: "size", value: { schema: { type: "integer", format: "int32" } } }]),
    },
  });
  await close();
});

test("what is not there, or cannot be sent in an accepted type, has a status code only", async () => {
  const { fetch, close } = await openTestServer();
  const yaml = { headers: { accept: "application/yaml" } };
  const answers = [
    fetch("/openapi/v3/"),
    fetch("/openapi/v3/nothing"),
    fetch("/openapi/v3/apis/toys.example.com/v1/"),
    fetch("/openapi/v3/apis/toys.example.com/v1", yaml),
  ];
  const seen = (await Promise.all(answers)).map(({ status, headers }) => [status, headers.get("content-type")]);
  expect(seen).toEqual([
    [404, null],
    [404, null],
    [404, null],
    [406, null],
  ]);
  await close();
});
