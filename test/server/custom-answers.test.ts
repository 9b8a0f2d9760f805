/** Answers about custom resources that were compared with those of the reference's own server for them. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { ask, type Body, definition, definitions, merge, version, widget, widgets } from "./custom-resources.suite.ts";

let server: OrchServer;
beforeAll(async () => {
  server = await createServer({ emulatedVersion: "1.36", controllers: false });
  const versions = [version("v1", { subresources: { status: {} } })];
  await ask(server, "POST", definitions, definition({ versions }));
  await ask(server, "POST", widgets, widget("a", { spec: { color: "red" } }));
});
afterAll(() => server.close());

const apply = "application/apply-patch+yaml";
const managersOf = ({ body }: { body: Body }) =>
  (body["metadata"] as { managedFields: { subresource?: string; fieldsV1: object }[] }).managedFields;

test("a write of the status owns no metadata, which it does not change", async () => {
  const change = { metadata: { labels: { a: "b" } }, status: { phase: "x" } };
  const answer = await ask(server, "PATCH", `${widgets}/a/status`, change, merge);
  expect(managersOf(answer).find(({ subresource }) => subresource === "status")?.fieldsV1).toEqual({
    "f:status": { ".": {}, "f:phase": {} },
  });
});

test("the document of a version of definitions is served for any method, that of a built-in version for GET", async () => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const [custom, builtin] = [
      await ask(server, method, "/apis/example.com/v1"),
      await ask(server, method, "/apis/apps/v1"),
    ];
    expect([method, custom.status, builtin.status]).toEqual([method, 200, method === "GET" ? 200 : 405]);
  }
});

test("null is no object, and an apply of another kind is refused", async () => {
  const refused = [
    await ask(server, "POST", widgets, null),
    await ask(server, "PATCH", `${widgets}/a?fieldManager=m`, { apiVersion: "example.com/v1", kind: "Gadget" }, apply),
  ];
  expect(refused.map(({ status }) => status)).toEqual([400, 400]);
});

test("a patch may change generateName to anything, and what it says of another group is named in the refusal", async () => {
  const named = await ask(server, "PATCH", `${widgets}/a?dryRun=All`, { metadata: { generateName: "A b" } }, merge);
  expect(named.status).toBe(200);
  const other = { apiVersion: "other.io/v1", kind: "Gadget" };
  const refused = await ask(server, "PATCH", `${widgets}/a`, other, merge);
  expect(refused.body["details"]).toMatchObject({ group: "other.io", kind: "Gadget" });
  expect((await ask(server, "PATCH", `${widgets}/a`, { kind: "" }, merge)).body["details"]).toMatchObject({
    causes: [{ field: "patch" }],
  });
});

test("new finalizers without a domain and a path are worth a warning", async () => {
  const warnings = async (finalizers: string[]) => {
    const response = await server.fetch(`${widgets}/a`, {
      method: "PATCH",
      headers: { "content-type": merge },
      body: JSON.stringify({ metadata: { finalizers } }),
    });
    return response.headers.get("warning")?.split(", 299 ").length ?? 0;
  };
  expect(await warnings(["orphan", "example.com/x"])).toBe(0);
  expect(await warnings(["orphan", "example.com/x", "one", "two"])).toBe(2);
  expect(await warnings(["one"])).toBe(0);
  expect(await warnings([])).toBe(0);
});

test("dryRun without a value is refused in every write", async () => {
  const item = `${widgets}/a`;
  const codes = [
    await ask(server, "POST", `${widgets}?dryRun=`, widget("b")),
    await ask(server, "PUT", `${item}?dryRun=`, widget("a")),
    await ask(server, "PATCH", `${item}?dryRun=All&dryRun=`, {}, merge),
    await ask(server, "DELETE", `${item}?dryRun=`),
    await ask(server, "DELETE", `${widgets}?dryRun=`),
  ];
  expect(codes.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
});

test("a delete that sets no other finalizers leaves them in their order", async () => {
  const finalizers = ["orphan", "example.com/x"];
  await ask(server, "POST", widgets, { ...widget("held"), metadata: { name: "held", finalizers } });
  const { body } = await ask(server, "DELETE", `${widgets}/held`);
  expect(body["metadata"]).toMatchObject({ finalizers });
});
