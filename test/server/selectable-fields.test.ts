import { expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

const schema = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: { type: "object", properties: { color: { type: "string", default: "grey" }, size: { type: "integer" } } },
    },
  },
};
const version = (name: string, selectable: readonly string[], more: object = {}) => ({
  name,
  served: true,
  storage: name === "v1",
  schema,
  selectableFields: selectable.map((jsonPath) => ({ jsonPath })),
  ...more,
});
const definition = (spec: object) => ({
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: { group: "example.com", scope: "Namespaced", names: { plural: "things", kind: "Thing" }, ...spec },
});

async function withThings(spec: object) {
  const server = await createServer({ emulatedVersion: "1.35", controllers: false });
  const send = async (method: string, path: string, body: unknown) => {
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const answer = await server.fetch(path, {
      method,
      body: JSON.stringify(body),
      headers: { "content-type": contentType },
    });
    return answer.status;
  };
  const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
  expect(await send("POST", definitions, definition(spec))).toBe(201);
  const things = "/apis/example.com/v1/namespaces/default/things";
  return {
    server,
    redefine: (change: object) => send("PATCH", `${definitions}/things.example.com`, { spec: change }),
    put: (name: string, spec: object) =>
      send("POST", things, { apiVersion: "example.com/v1", kind: "Thing", metadata: { name }, spec }),
    /** The names of the selected objects, or the status of a refusal. */
    async select(selector: string, version = "v1") {
      const path = `${things.replace("/v1/", `/${version}/`)}?fieldSelector=${encodeURIComponent(selector)}`;
      const answer = await server.fetch(path);
      if (answer.status !== 200) return answer.status;
      const { items } = (await answer.json()) as { items: { metadata: { name: string } }[] };
      return items.map(({ metadata }) => metadata.name);
    },
  };
}

test("objects are selected by the fields that their definition names, with the values they are shown with", async () => {
  const { server, put, select } = await withThings({ versions: [version("v1", [".spec.color", ".spec.size"])] });
  await using _ = server;
  await put("a", { color: "red", size: 1 });
  await put("b", { size: 12 });
  expect(await select("spec.color=red")).toEqual(["a"]);
  expect(await select("spec.color=grey,spec.size=12")).toEqual(["b"]);
  expect(await select("spec.color!=red")).toEqual(["b"]);
  expect(await select("spec.other=x")).toBe(400);
});

test("a change of the definition changes what can be selected, also for objects that exist", async () => {
  const { server, put, select, redefine } = await withThings({ versions: [version("v1", [])] });
  await using _ = server;
  await put("a", { color: "red" });
  expect(await select("spec.color=red")).toBe(400);
  expect(await redefine({ versions: [version("v1", [".spec.color"])] })).toBe(200);
  expect(await select("spec.color=red")).toEqual(["a"]);
});

test("each version has its own fields; where a webhook converts, only those of the stored version can be selected", async () => {
  const other = { openAPIV3Schema: { ...schema.openAPIV3Schema, description: "v2" } };
  const versions = [version("v1", [".spec.color"]), version("v2", [".spec.size"], { schema: other })];
  const { server, put, select, redefine } = await withThings({ versions });
  await using _ = server;
  await put("a", { color: "red", size: 3 });
  expect([await select("spec.size=3"), await select("spec.size=3", "v2")]).toEqual([400, ["a"]]);
  const clientConfig = { url: "https://converter.example.com/" };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  expect(await redefine({ conversion })).toBe(200);
  expect([await select("spec.color=red"), await select("spec.size=3", "v2")]).toEqual([["a"], 400]);
});
