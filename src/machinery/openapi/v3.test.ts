import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { catalog, info, references } from "./openapi.suite.ts";
import { buildOpenApiV3 } from "./v3.ts";

describe("version 3", () => {
  const v3 = finish(buildOpenApiV3(catalog, "tools.orch.io", "v1", info)) as {
    paths: Record<string, Record<string, unknown>>;
    components: { schemas: Record<string, Record<string, unknown>> };
  }; // the parts that are checked here

  test("has one document for each group version, complete in itself", () => {
    expect(Object.keys(v3.paths).every((path) => path.startsWith("/apis/tools.orch.io/v1/"))).toBe(true);
    const known = Object.keys(v3.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(references(v3).filter((reference) => !known.includes(reference))).toEqual([]);
  });
  test("names the defaults that are declared for it, which v2 does not", () => {
    const { properties } = v3.components.schemas["io.orch.api.core.v1.Part"] ?? {};
    expect(properties).toMatchObject({ color: { default: "Red" } });
    expect(properties).not.toHaveProperty("shade.default");
  });
  test("has references without siblings, and marks int-or-string", () => {
    const thing = v3.components.schemas["io.orch.api.tools.v1.Thing"];
    expect(thing?.["properties"]).toMatchObject({
      selector: {
        description: "Which others.",
        allOf: [{ $ref: "#/components/schemas/io.orch.apimachinery.pkg.apis.meta.v1.Selector" }],
      },
    });
    expect(v3.components.schemas["io.orch.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    });
  });
  test("has bodies by media type", () => {
    const post = v3.paths["/apis/tools.orch.io/v1/namespaces/{namespace}/things"]?.["post"];
    expect(post).toMatchObject({
      requestBody: { required: true, content: { "*/*": { schema: { $ref: expect.stringContaining("Thing") } } } },
      responses: { "201": { content: { "application/json": {} } } },
    });
    expect(post).not.toHaveProperty("consumes");
  });
});
