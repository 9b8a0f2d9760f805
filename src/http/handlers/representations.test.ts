/** The forms in which a client can ask for objects. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, openTestServer, type TestServer } from "../server.fixture.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

const base = "/apis/toys.example.com/v1/namespaces/a/gadgets";
const gadget = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
type Shown = {
  metadata: { name: string; resourceVersion: string; uid: string; annotations?: object };
  spec: object;
  items: unknown[];
};
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  (await ask(server.fetch, method, path, body, headers)) as [number, Shown & Record<string, unknown>];

describe("a Table", () => {
  const as = (view: string) => ({ accept: `application/json;as=${view};g=meta.orch.io;v=v1` });
  const kindOf = async (path: string, view: string, init: RequestInit = {}) => {
    const answer = await server.fetch(path, { ...init, headers: as(view) });
    return [answer.status, ((await answer.json()) as { kind: string }).kind];
  };

  test("exists for resources that can be listed, not for subresources and reviews", async () => {
    await call("POST", base, gadget("shown"));
    const review = { method: "POST", body: "{}" };
    const status = { method: "PUT", body: JSON.stringify(gadget("shown")) };
    expect(await kindOf(`${base}/shown`, "Table")).toEqual([200, "Table"]);
    expect(await kindOf(`${base}/shown/status`, "Table")).toEqual([406, "Status"]);
    expect(await kindOf(`${base}/shown/status`, "Table", status)).toEqual([406, "Status"]);
    expect(await kindOf("/apis/toys.example.com/v1/questions", "Table", review)).toEqual([406, "Status"]);
  });

  test("is not needed for metadata alone, which is always available", async () => {
    const partial = "PartialObjectMetadata";
    const review = { method: "POST", body: "{}" };
    await call("POST", base, gadget("told"));
    expect(await kindOf(`${base}/told/status`, partial)).toEqual([200, partial]);
    expect(await kindOf("/apis/toys.example.com/v1/questions", partial, review)).toEqual([201, partial]);
    expect((await kindOf("/apis/toys.example.com/v1/questions", `${partial}List`, review))[0]).toBe(406);
  });
});

describe("representations", () => {
  const as = (view: string) => ({ accept: `application/json;as=${view};g=meta.orch.io;v=v1` });
  beforeAll(async () => {
    await call("POST", base, gadget("shown", { size: 3 }));
  });

  test("a Table has columns and rows", async () => {
    const [, table] = await call("GET", `${base}?fieldSelector=metadata.name=shown`, undefined, as("Table"));
    const rows = table["rows"] as { cells: unknown[]; object: { kind: string } }[];
    expect([table.kind, rows.length, rows[0]?.cells[0], rows[0]?.object.kind]).toEqual([
      "Table",
      1,
      "shown",
      "PartialObjectMetadata",
    ]);
  });

  test("a Table has its rows in the order that the kind declares, then by name; a list does not", async () => {
    const sizes = { "order-a": 9, "order-b": 4, "order-c": 4 };
    for (const [name, size] of Object.entries(sizes))
      await call("POST", base, { metadata: { name, labels: { order: "" } }, spec: { size } });
    const [, table] = await call("GET", `${base}?labelSelector=order`, undefined, as("Table"));
    const rows = table["rows"] as { cells: unknown[] }[];
    expect(rows.map(({ cells }) => cells[0])).toEqual(["order-b", "order-c", "order-a"]);
    const [, list] = await call("GET", `${base}?labelSelector=order`);
    expect((list.items as Shown[]).map(({ metadata }) => metadata.name)).toEqual(Object.keys(sizes));
    for (const name of Object.keys(sizes)) await call("DELETE", `${base}/${name}`);
  });

  test("metadata alone is available for one object and for a list", async () => {
    const [, one] = await call("GET", `${base}/shown`, undefined, as("PartialObjectMetadata"));
    expect([one.kind, one.spec]).toEqual(["PartialObjectMetadata", undefined]);
    const [, list] = await call("GET", base, undefined, as("PartialObjectMetadataList"));
    expect(list.kind).toBe("PartialObjectMetadataList");
    expect((await call("GET", base, undefined, as("PartialObjectMetadata")))[0]).toBe(406);
    expect((await call("GET", `${base}/shown`, undefined, as("PartialObjectMetadataList")))[0]).toBe(406);
  });

  test("PartialObjectMetadata does not include annotations that represent a field", async () => {
    const annotations = { "toys.example.com/wheels": "4", note: "n" };
    await call("POST", base, { metadata: { name: "rolling", annotations } });
    await call("POST", base, { metadata: { name: "plain", annotations: { "toys.example.com/wheels": "4" } } });
    const [, whole] = await call("GET", `${base}/rolling`);
    const [, part] = await call("GET", `${base}/rolling`, undefined, as("PartialObjectMetadata"));
    const [, none] = await call("GET", `${base}/plain`, undefined, as("PartialObjectMetadata"));
    expect([whole.metadata.annotations, part.metadata.annotations, "annotations" in none.metadata]).toEqual([
      annotations,
      { note: "n" },
      false,
    ]);
    const [, table] = await call("GET", `${base}?fieldSelector=metadata.name=rolling`, undefined, as("Table"));
    const rows = table["rows"] as { object: { metadata: object } }[];
    expect(rows[0]?.object.metadata).toMatchObject({ annotations: { note: "n" } });
    for (const name of ["rolling", "plain"]) await call("DELETE", `${base}/${name}`);
  });

  test("another version of the same object is available, with a warning if it is deprecated", async () => {
    const response = await server.fetch("/apis/toys.example.com/v1beta1/namespaces/a/gadgets/shown");
    expect([
      ((await response.json()) as Shown & { apiVersion: string }).apiVersion,
      response.headers.get("warning"),
    ]).toEqual([
      "toys.example.com/v1beta1",
      '299 - "toys.example.com/v1beta1 Gadget is deprecated in v1.19+, unavailable in v1.22+; use toys.example.com/v1 Gadget"',
    ]);
  });

  test("protobuf is accepted and returned", async () => {
    const headers = { accept: "application/vnd.orch.protobuf" };
    const bytes = Buffer.from(await (await server.fetch(`${base}/shown`, { headers })).arrayBuffer());
    expect(bytes.subarray(0, 4).toString("hex")).toBe("6b387300");
    const type = { "content-type": "application/vnd.orch.protobuf" };
    expect((await server.fetch(`${base}/shown`, { method: "PUT", body: bytes, headers: type })).status).toBe(200);
    const list = Buffer.from(await (await server.fetch(base, { headers })).arrayBuffer());
    expect(list.includes("GadgetList")).toBe(true);
  });

  test("YAML and indented JSON are available", async () => {
    const yaml = await (await server.fetch(base, { headers: { accept: "application/yaml" } })).text();
    expect(yaml).toMatch(/^apiVersion: toys.example.com\/v1\nitems:\n- metadata:\n/);
    const pretty = await (await server.fetch(`${base}/shown?pretty=true`)).text();
    expect(pretty.startsWith('{\n  "apiVersion": "toys.example.com/v1",\n  "kind": "Gadget"')).toBe(true);
  });

  test("a list of many objects arrives complete, and compressed for clients that accept it", async () => {
    const room = "/apis/toys.example.com/v1/namespaces/many/gadgets";
    for (let i = 0; i < 300; i++) await call("POST", room, gadget(`many-${i}`, { notes: { text: "x".repeat(1_000) } }));
    const plain = (await (await server.fetch(room)).json()) as Shown;
    expect(plain.items.length).toBe(300);
    const response = await server.fetch(room, { headers: { "accept-encoding": "gzip" } });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    const { gunzipSync } = await import("node:zlib");
    const unpacked = gunzipSync(Buffer.from(await response.arrayBuffer())).toString("utf8");
    expect((JSON.parse(unpacked) as Shown).items).toEqual(plain.items);
    // About 100 KiB: too large for one piece, too small to be worth it.
    const some = await server.fetch(`${room}?limit=70`, { headers: { "accept-encoding": "gzip" } });
    const text = await some.text();
    expect([some.headers.get("content-encoding"), text.length > 65_536, text.length < 131_072]).toEqual([
      null,
      true,
      true,
    ]);
  });
});
