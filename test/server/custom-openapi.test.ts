import { describe, expect, test } from "vitest";
import type { OrchServer } from "../../src/main/library.ts";
import { ask, type Body, definition, definitions, version, withServer } from "./custom-resources.suite.ts";

const keeps = { "x-orch-preserve-unknown-fields": true };
const spec = {
  type: "object",
  description: "What is wanted.",
  required: ["size", "maybe"],
  properties: {
    size: { type: "integer", minimum: 1, default: 1 },
    maybe: { type: "object", nullable: true, properties: { a: { type: "string" } } },
    either: { type: "string", anyOf: [{ pattern: "^a" }, { pattern: "^b" }] },
    open: { type: "object", ...keeps, properties: { a: { type: "string" } } },
    inner: { type: "object", "x-orch-embedded-resource": true, ...keeps },
    list: { type: "array", items: { type: "string" }, "x-orch-list-type": "set" },
    port: { "x-orch-int-or-string": true },
  },
};
const schema = { openAPIV3Schema: { type: "object", description: "A widget.", properties: { spec } } };
const defined = definition({ versions: [version("v1", { schema, subresources: { status: {} } })] });
const name = "com.example.v1.Widget";
type Document = { paths: Body; definitions: Record<string, Body>; components: { schemas: Record<string, Body> } };

async function document(server: OrchServer, path: string): Promise<Document> {
  return (await ask(server, "GET", path)).body as Document;
}

describe("OpenAPI v2", () => {
  test("shows a custom kind without keywords that its clients cannot read", () =>
    withServer(async (server) => {
      const { definitions: made, paths } = await document(server, "/openapi/v2");
      expect(made[name]).toMatchObject({
        description: "A widget.",
        type: "object",
        "x-orch-group-version-kind": [{ group: "example.com", version: "v1", kind: "Widget" }],
      });
      const properties = made[name]?.["properties"] as Record<string, Body>;
      expect(Object.keys(properties)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
      expect(properties["spec"]).toEqual({
        type: "object",
        description: "What is wanted.",
        required: ["size"],
        properties: {
          size: { type: "integer", minimum: 1, default: 1 },
          maybe: {},
          either: { type: "string" },
          open: { ...keeps },
          inner: { "x-orch-embedded-resource": true, ...keeps },
          list: { type: "array", items: { type: "string" }, "x-orch-list-type": "set" },
          port: { "x-orch-int-or-string": true },
        },
      });
      expect(
        Object.keys(paths)
          .filter((path) => path.includes("/widgets"))
          .sort(),
      ).toEqual([
        "/apis/example.com/v1/namespaces/{namespace}/widgets",
        "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}",
        "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status",
        "/apis/example.com/v1/widgets",
      ]);
    }, defined));

  test("differs only by the additions of a definition", () =>
    withServer(async (server) => {
      const before = await document(server, "/openapi/v2");
      await ask(server, "DELETE", `${definitions}/widgets.example.com`);
      let after = before;
      while (after.definitions[name] !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, 5)); // the server needs the event loop to let it go
        after = await document(server, "/openapi/v2");
      }
      const added = Object.keys(before.definitions).filter((one) => !(one in after.definitions));
      expect(added).toEqual([name, `${name}List`]);
      for (const one of Object.keys(after.definitions)) expect(before.definitions[one]).toEqual(after.definitions[one]);
    }, defined));

  test("has no schema for a kind that preserves unknown fields, since clients would refuse those", () =>
    withServer(
      async (server) => {
        const { definitions: made } = await document(server, "/openapi/v2");
        expect(made[name]?.["properties"]).toBeUndefined();
      },
      definition({ versions: [version("v1", { schema: { openAPIV3Schema: { type: "object", ...keeps } } })] }),
    ));
});

describe("OpenAPI v3", () => {
  test("shows the whole schema, in a separate document", () =>
    withServer(async (server) => {
      const index = (await ask(server, "GET", "/openapi/v3")).body["paths"] as Body;
      expect(Object.keys(index)).toContain("apis/example.com/v1");
      const { components } = await document(server, "/openapi/v3/apis/example.com/v1");
      const properties = components.schemas[name]?.["properties"] as Record<
        string,
        { properties: Record<string, Body> }
      >;
      expect(properties["spec"]?.properties).toMatchObject({
        either: { anyOf: [{ pattern: "^a" }, { pattern: "^b" }] },
        maybe: { type: "object", nullable: true, properties: { a: { type: "string" } } },
        inner: { required: ["kind", "apiVersion"] },
      });
    }, defined));

  test("of other groups is unchanged when a definition is added", () =>
    withServer(async (server) => {
      const hash = async () => {
        const paths = (await ask(server, "GET", "/openapi/v3")).body["paths"] as Record<string, Body>;
        return { apps: paths["apis/apps/v1"], own: paths["apis/example.com/v1"] };
      };
      const before = await hash();
      await ask(
        server,
        "POST",
        definitions,
        definition({ name: "gadgets", names: { kind: "Gadget", singular: "gadget" } }),
      );
      const after = await hash();
      expect(after.apps).toEqual(before.apps);
      expect(after.own).not.toEqual(before.own);
    }, defined));
});
