/** Kinds whose versions are converted by another process, which takes time and may fail. */

import { afterEach, expect, test } from "vitest";
import { declaredCodec } from "../machinery/catalog/declared-codec.ts";
import { int32, optional } from "../machinery/schema/build.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { customKind } from "../machinery/schema/custom-kind.suite.ts";
import { type ApiObject, version } from "../machinery/schema/kind.ts";
import { StatusError } from "../machinery/status/status.ts";
import { ask, openTestServer, type TestServer } from "./server.fixture.ts";

let server: TestServer;
afterEach(() => server.close());

const group = "widgets.example.com";
const path = (name: string, more = "") => `/apis/${group}/${name}/namespaces/a/widgets${more}`;

/** Widgets are stored as v1 with a size; v2 calls it the width. `batches` says how many objects were converted together. */
async function openWidgets() {
  server = await openTestServer();
  const batches: number[] = [];
  const state = { fails: false };
  const codec = (kind: BoundKind) => ({ ...declaredCodec(kind), protobuf: undefined, mergeStrategically: undefined });
  const convertOne = ({ size, width, ...rest }: ApiObject, to: BoundKind): ApiObject => {
    const given = size ?? width;
    const named = given === undefined ? {} : to.version === "v1" ? { size: given } : { width: given };
    return { ...rest, kind: to.kind, apiVersion: to.apiVersion, ...named };
  };
  const Widget = customKind({
    group,
    version: "v1",
    kind: "Widget",
    resource: "widgets",
    scope: "Namespaced",
    doc: "A Widget is defined by a user.",
    fields: { size: optional(int32()) },
    generation: true,
    codec,
    conversion: () => ({
      isImmediate: false,
      async convert(objects, _from, to) {
        batches.push(objects.length);
        await new Promise((resolve) => setImmediate(resolve));
        if (state.fails) throw new StatusError("InternalError", "conversion webhook failed");
        return objects.map((object) => convertOne(object, to));
      },
    }),
  });
  server.catalog.replace({
    add: [Widget, version(Widget, { version: "v2", fields: { width: optional(int32()) }, codec })],
  });
  const call = (method: string, at: string, body?: unknown, headers?: Record<string, string>) =>
    ask(server.fetch, method, at, body, headers);
  return { batches, state, call };
}
const widget = (name: string, fields: { size: number } | { width: number }) => {
  const apiVersion = `${group}/${"size" in fields ? "v1" : "v2"}`;
  return { apiVersion, kind: "Widget", metadata: { name }, ...fields };
};

test("an object is written and read in any version, and stored in one", async () => {
  const { call } = await openWidgets();
  expect((await call("POST", path("v2"), widget("w", { width: 3 })))[1]).toMatchObject({
    width: 3,
    metadata: { generation: 1 },
  });
  expect((await call("GET", path("v1", "/w")))[1]).toMatchObject({ apiVersion: `${group}/v1`, size: 3 });
  const [code, changed] = await call("PUT", path("v2", "/w"), widget("w", { width: 4 }));
  expect([code, changed]).toMatchObject([200, { width: 4, metadata: { generation: 2 } }]);
  const merge = { "content-type": "application/merge-patch+json" };
  expect((await call("PATCH", path("v2", "/w"), { width: 5 }, merge))[1]).toMatchObject({ width: 5 });
  expect((await call("GET", path("v1", "/w")))[1]).toMatchObject({ size: 5 });
});

test("the stored version is never converted", async () => {
  const { call, batches, state } = await openWidgets();
  state.fails = true;
  await call("POST", path("v1"), widget("w", { size: 3 }));
  expect((await call("GET", path("v1")))[1]).toMatchObject({ items: [{ size: 3 }] });
  expect(batches).toEqual([]);
});

test("a list is converted in one batch, in every form, and remembered", async () => {
  const { call, batches } = await openWidgets();
  for (const name of ["a", "b", "c"]) await call("POST", path("v1"), widget(name, { size: 1 }));
  expect((await call("GET", path("v2")))[1]).toMatchObject({ items: [{ width: 1 }, { width: 1 }, { width: 1 }] });
  expect(batches).toEqual([3]);
  await call("POST", path("v1"), widget("d", { size: 2 }));
  for (const as of ["", ";as=Table;g=meta.orch.io;v=v1", ";as=PartialObjectMetadataList;g=meta.orch.io;v=v1"]) {
    const [code, list] = await call("GET", path("v2"), undefined, { accept: `application/json${as}` });
    expect([code, list]).toMatchObject([200, { [as.includes("Table") ? "rows" : "items"]: { length: 4 } }]);
  }
  expect(batches).toEqual([3, 1]);
});

test("a read fails if the conversion fails, but a delete does not", async () => {
  const { call, state } = await openWidgets();
  for (const name of ["a", "b"]) await call("POST", path("v1"), widget(name, { size: 1 }));
  state.fails = true;
  expect((await call("GET", path("v2")))[0]).toBe(500);
  expect((await call("GET", path("v2", "/a")))[0]).toBe(500);
  expect((await call("PUT", path("v2", "/a"), widget("a", { width: 2 })))[0]).toBe(500);
  expect((await call("DELETE", path("v2", "/a")))[0]).toBe(200);
  expect((await call("DELETE", path("v2")))[0]).toBe(200);
  expect((await call("GET", path("v1")))[1]).toMatchObject({ items: [] });
});

async function openWatch(at: string) {
  const response = await server.fetch(at);
  const reader = response.body!.getReader();
  let text = "";
  return async (count: number) => {
    while (text.split("\n").length <= count) {
      const { done, value } = await reader.read();
      if (done) break;
      text += Buffer.from(value).toString();
    }
    return text
      .split("\n")
      .slice(0, count)
      .map((line) => JSON.parse(line) as { type: string; object: Record<string, unknown> });
  };
}

test("a watch converts its events in one batch, once for all watchers, in order", async () => {
  const { call, batches } = await openWidgets();
  for (const name of ["a", "b", "c"]) await call("POST", path("v1"), widget(name, { size: 1 }));
  const events = await Promise.all([1, 2, 3].map(() => openWatch(path("v2", "?watch=1&timeoutSeconds=60"))));
  for (const next of events) expect((await next(3)).map(({ type }) => type)).toEqual(["ADDED", "ADDED", "ADDED"]);
  const before = batches.length;
  await call("POST", path("v1"), widget("d", { size: 4 }));
  await call("DELETE", path("v1", "/a"));
  for (const next of events) {
    expect((await next(5)).slice(3)).toMatchObject([
      { type: "ADDED", object: { width: 4 } },
      { type: "DELETED", object: { width: 1 } },
    ]);
  }
  expect(batches.slice(before)).toEqual([1, 1]);
});

test("a watch whose objects cannot be converted ends with an ERROR event", async () => {
  const { call, state } = await openWidgets();
  await call("POST", path("v1"), widget("a", { size: 1 }));
  state.fails = true;
  const next = await openWatch(path("v2", "?watch=1&timeoutSeconds=60"));
  expect(await next(1)).toMatchObject([{ type: "ERROR", object: { kind: "Status", code: 500 } }]);
});
