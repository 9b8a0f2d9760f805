import protobufjs from "protobufjs";
import { describe, expect, test } from "vitest";
import { since } from "../../base/release.ts";
import { finish } from "../../base/time-slice.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createCatalog } from "../catalog/bind.ts";
import {
  bool,
  bytes,
  double,
  elided,
  granular,
  int32,
  intOrString,
  json,
  list,
  map,
  optional,
  quantity,
  string,
  struct,
  time,
} from "../schema/build.ts";
import { plainEnvironment } from "../schema/environment.suite.ts";
import { kind } from "../schema/kind.ts";
import type { Level } from "../schema/level.ts";
import type { Field } from "../schema/schema.ts";
import type { OpenApiV2 } from "./document.ts";
import { buildOpenApiV2 } from "./v2.ts";
import { encodeOpenApiV2Protobuf } from "./v2-protobuf.ts";
import { buildOpenApiV3 } from "./v3.ts";

const Part: Field = struct("core.v1.Part", () => ({
  name: string().at(1).doc("What it is called."),
  parts: elided(list(Part, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" })).at(2),
  size: optional(int32()).at(3),
  color: elided(string()).at(4).openApiDefault("Red"),
  shade: elided(string()).at(14).default("Dark"),
  limits: elided(map(quantity())).at(5),
  port: elided(intOrString()).at(6),
  at: elided(time()).at(7),
  raw: elided(json()).at(8),
  data: elided(bytes()).at(9).openApiAtomic(),
  on: elided(bool()).at(10),
  ratio: elided(double()).at(11),
  tags: elided(list(string(), { topology: "set" })).at(12),
  __proto: elided(string()).at(13),
}));
const Selector = struct(
  "meta.v1.Selector",
  { match: elided(map(string())).at(1) },
  { topology: "atomic", doc: "Which." },
);

const Thing = kind({
  group: "tools.orch.io",
  version: "v1",
  kind: "Thing",
  resource: "things",
  scope: "Namespaced",
  doc: "A thing.",
  fields: { spec: elided(Part).at(2), selector: optional(Selector).at(3).doc("Which others.") },
  subresources: [
    { name: "status", verbs: ["get", "patch", "update"] },
    { name: "use", verbs: ["create"], accepts: { group: "", version: "v1", kind: "Usage" }, action: "things/use" },
    { name: "proxy", verbs: ["get", "create"], shownKind: "ThingProxyOptions", action: "things/proxy" },
  ],
});
const Usage = kind({
  group: "",
  version: "v1",
  kind: "Usage",
  resource: "usages",
  scope: "Cluster",
  doc: "A use of something.",
  verbs: ["create"],
  action: "usages",
  fields: { user: string().at(2) },
});

const catalogIn = (vocabulary: Vocabulary) =>
  createCatalog([Thing, Usage], plainEnvironment({ vocabulary, gates: { enabled: () => false } })); // kinds are kept without their type

const info = { title: "test", version: "v1.21.0" };
const catalog = catalogIn(orch);
const document = finish(buildOpenApiV2(catalog, info));
const definition = (name: string) => document.definitions[name];

function references(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = ""]) => reference);
}

describe("definitions", () => {
  test("state the type of a field, whether it is required and how it merges", () => {
    expect(definition("io.orch.api.core.v1.Part")).toEqual({
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", description: "What it is called." },
        parts: {
          type: "array",
          items: { $ref: "#/definitions/io.orch.api.core.v1.Part" },
          "x-orch-list-type": "map",
          "x-orch-list-map-keys": ["name"],
          "x-orch-patch-strategy": "merge",
          "x-orch-patch-merge-key": "name",
        },
        size: { type: "integer", format: "int32" },
        color: { type: "string" },
        shade: { type: "string" },
        limits: {
          type: "object",
          additionalProperties: { $ref: "#/definitions/io.orch.apimachinery.pkg.api.resource.Quantity" },
        },
        port: { $ref: "#/definitions/io.orch.apimachinery.pkg.util.intstr.IntOrString" },
        at: { $ref: "#/definitions/io.orch.apimachinery.pkg.apis.meta.v1.Time" },
        raw: { $ref: "#/definitions/io.orch.apimachinery.pkg.runtime.RawExtension" },
        data: { type: "string", format: "byte", "x-orch-list-type": "atomic" },
        on: { type: "boolean" },
        ratio: { type: "number", format: "double" },
        tags: { type: "array", items: { type: "string" }, "x-orch-list-type": "set" },
        __proto: { type: "string" },
      },
    });
  });
  describe("of fields with rules", () => {
    const Ruled = struct("core.v1.Ruled", {
      mode: string()
        .at(1)
        .required()
        .oneOf(["Slow", "Fast", since("1.30", "Fastest")]),
      phase: elided(string()).at(2).openApiEnum(["Active"]),
      side: elided(string()).at(3).oneOf(["North"]).openApiEnum("none"),
      width: int32().at(4).atLeast(1).atMost(9),
      hosts: elided(list(string().named("subdomain")))
        .at(5)
        .max(3)
        .unique(),
      port: optional(int32()).at(6).required().atMost(9).immutable(),
    });
    const RuledThing = kind({
      group: "tools.orch.io",
      version: "v1",
      kind: "RuledThing",
      resource: "ruledthings",
      doc: "A thing with rules.",
      scope: "Cluster",
      fields: { spec: elided(Ruled).at(2) },
    });
    const propertiesIn = (vocabulary: Vocabulary, level: Level, hasGate: boolean) => {
      const environment = plainEnvironment({ vocabulary, level, gates: { enabled: () => hasGate } });
      const { definitions } = finish(buildOpenApiV2(createCatalog([RuledThing], environment), info));
      return definitions[`${vocabulary.definitionPrefix}api.core.v1.Ruled`]?.properties ?? {};
    };
    const enumsOf = (properties: ReturnType<typeof propertiesIn>) =>
      Object.fromEntries(Object.entries(properties).flatMap(([name, one]) => (one.enum ? [[name, one.enum]] : [])));

    test("name the values of the level, where the feature gate is on", () => {
      expect(enumsOf(propertiesIn(kubernetes, "1.35", true))).toEqual({
        mode: ["Fast", "Fastest", "Slow"],
        phase: ["Active"],
      });
      expect(enumsOf(propertiesIn(kubernetes, "1.35", false))).toEqual({});
    });
    test("say the rules in words, only in our own vocabulary", () => {
      const rulesIn = (vocabulary: Vocabulary) =>
        Object.values(propertiesIn(vocabulary, "1.21", false)).map((one) => one["x-orch-rules"]);
      expect(rulesIn(orch)).toEqual([
        ["one of Slow, Fast"],
        undefined,
        ["one of North"],
        ["from 1 to 9"],
        ["at most 3 items", "no two items are the same", "each item: a DNS subdomain"],
        ["required", "at most 9", "cannot be changed"],
      ]);
      expect(JSON.stringify(propertiesIn(kubernetes, "1.21", false))).not.toContain("rules");
    });
  });
  describe("of lists and references at level 1.35", () => {
    const Reference = struct(
      "core.v1.Reference",
      { name: string().at(1) },
      { from: { "1.22": { topology: "atomic" } } },
    );
    const Listed = struct("core.v1.Listed", {
      own: elided(granular(Reference)).at(1),
      whole: elided(Reference).at(2),
      plain: elided(list(string())).at(3),
      merged: elided(list(string(), { patchStrategy: "merge" })).at(4),
      keyed: elided(list(Reference, { patchStrategy: "merge", patchMergeKey: "name" })).at(5),
      named: elided(list(string(), { wrapped: true })).at(6),
    });
    const ListedThing = kind({
      group: "tools.orch.io",
      version: "v1",
      kind: "ListedThing",
      resource: "listedthings",
      doc: "A thing with lists.",
      scope: "Cluster",
      fields: { spec: elided(Listed).at(2) },
    });
    const definitionsAt = (level: Level) => {
      const environment = plainEnvironment({ level, gates: { enabled: () => false } });
      return finish(buildOpenApiV2(createCatalog([ListedThing], environment), info)).definitions;
    };
    const typesAt = (level: Level) =>
      Object.entries(definitionsAt(level)["io.orch.api.core.v1.Listed"]?.properties ?? {}).map(
        ([name, one]) => `${name} ${one["x-orch-list-type"] ?? one["x-orch-map-type"]} ${one["x-orch-list-map-keys"]}`,
      );

    test("every list says how it merges, unless it is a type of its own", () => {
      const said = ["own granular undefined", "whole undefined undefined", "plain atomic undefined"];
      expect(typesAt("1.35")).toEqual([...said, "merged set undefined", "keyed map name", "named undefined undefined"]);
      expect(typesAt("1.21").every((text) => text.endsWith(" undefined undefined"))).toBe(true);
    });
    test("a type that is granular for one field is atomic for the others", () => {
      const name = "io.orch.api.core.v1.Reference";
      expect(definitionsAt("1.35")[name]).toHaveProperty("x-orch-map-type", "atomic");
      expect(definitionsAt("1.21")[name]).not.toHaveProperty("x-orch-map-type");
    });
    test("options of a deletion are those of the level", () => {
      const name = "io.orch.apimachinery.pkg.apis.meta.v1.DeleteOptions";
      const member = "ignoreStoreReadErrorWithClusterBreakingPotential";
      expect(definitionsAt("1.35")[name]?.properties).toHaveProperty(member);
      expect(definitionsAt("1.21")[name]?.properties).not.toHaveProperty(member);
    });
  });
  test("of kinds carry their group, version and kind", () => {
    expect(definition("io.orch.api.tools.v1.Thing")).toMatchObject({
      "x-orch-group-version-kind": [{ group: "tools.orch.io", version: "v1", kind: "Thing" }],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: {
          $ref: "#/definitions/io.orch.apimachinery.pkg.apis.meta.v1.ObjectMeta",
          description: "Standard object's metadata: name, namespace, labels, annotations, owners.",
        },
        selector: {
          $ref: "#/definitions/io.orch.apimachinery.pkg.apis.meta.v1.Selector",
          description: "Which others.",
        },
      },
    });
    expect(definition("io.orch.apimachinery.pkg.apis.meta.v1.Selector")).toMatchObject({ "x-orch-map-type": "atomic" });
  });
  test("of lists require their items", () => {
    expect(definition("io.orch.api.tools.v1.ThingList")).toMatchObject({
      required: ["items"],
      properties: { items: { items: { $ref: "#/definitions/io.orch.api.tools.v1.Thing" } } },
      "x-orch-group-version-kind": [{ group: "tools.orch.io", version: "v1", kind: "ThingList" }],
    });
  });
  test("exist for every reference", () => {
    const known = Object.keys(document.definitions).map((name) => `#/definitions/${name}`);
    expect(references(document).filter((reference) => !known.includes(reference))).toEqual([]);
  });
  test("use the vocabulary of the server", () => {
    const spoken = finish(buildOpenApiV2(catalogIn(kubernetes), info));
    expect(spoken.definitions["io.k8s.api.tools.v1.Thing"]).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "tools.k8s.io", version: "v1", kind: "Thing" }],
    });
    expect(JSON.stringify(spoken)).not.toMatch(/x-orch|io\.orch\.|orch\.io/);
  });
});

describe("paths", () => {
  const at = (path: string) => document.paths[path];
  const collection = "/apis/tools.orch.io/v1/namespaces/{namespace}/things";

  test("are those of the verbs a kind has", () => {
    expect(Object.keys(document.paths)).toEqual([
      "/api/",
      "/api/v1/",
      "/api/v1/usages",
      "/apis/",
      "/apis/tools.orch.io/",
      "/apis/tools.orch.io/v1/",
      collection,
      `${collection}/{name}`,
      `${collection}/{name}/proxy`,
      `${collection}/{name}/proxy/{path}`,
      `${collection}/{name}/status`,
      `${collection}/{name}/use`,
      "/apis/tools.orch.io/v1/things",
      "/apis/tools.orch.io/v1/watch/namespaces/{namespace}/things",
      "/apis/tools.orch.io/v1/watch/namespaces/{namespace}/things/{name}",
      "/apis/tools.orch.io/v1/watch/things",
      "/version/",
    ]);
    expect(Object.keys(at(collection) ?? {}).sort()).toEqual(["delete", "get", "parameters", "post"]);
    expect(Object.keys(at(`${collection}/{name}`) ?? {}).sort()).toEqual([
      "delete",
      "get",
      "parameters",
      "patch",
      "put",
    ]);
    expect(Object.keys(at("/api/v1/usages") ?? {}).sort()).toEqual(["parameters", "post"]);
  });
  test("show clients whether a patch supports dry run", () => {
    const patch = at(`${collection}/{name}`)?.patch;
    expect(patch).toMatchObject({
      operationId: "patchToolsV1NamespacedThing",
      tags: ["tools_v1"],
      "x-orch-action": "patch",
      "x-orch-group-version-kind": { group: "tools.orch.io", version: "v1", kind: "Thing" },
    });
    expect(patch?.parameters?.map(({ name }) => name)).toEqual(["body", "dryRun", "fieldManager", "force"]);
  });
  test("of subresources name the kind they take", () => {
    expect(at(`${collection}/{name}/use`)?.post).toMatchObject({
      operationId: "createToolsV1NamespacedThingUse",
      "x-orch-group-version-kind": { group: "", version: "v1", kind: "Usage" },
    });
    expect(at(`${collection}/{name}/proxy`)?.get).toMatchObject({
      operationId: "connectToolsV1GetNamespacedThingProxy",
      "x-orch-action": "connect",
    });
  });
  test("have unique operation ids", () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => ("operationId" in operation ? [operation.operationId] : [])),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test("the protobuf form has the same contents", () => {
  const { root } = protobufjs.parse(`syntax = "proto3";
    message Any { string yaml = 2; }
    message NamedAny { string name = 1; Any value = 2; }
    message TypeItem { repeated string value = 1; }
    message ItemsItem { repeated Schema schema = 1; }
    message NamedSchema { string name = 1; Schema value = 2; }
    message Schemas { repeated NamedSchema additional_properties = 1; }
    message AdditionalPropertiesItem { oneof oneof { Schema schema = 1; bool boolean = 2; } }
    message Schema {
      string _ref = 1; string format = 2; string description = 4; Any default = 5; double maximum = 7; double minimum = 9;
      repeated string required = 19; repeated Any enum = 20; AdditionalPropertiesItem additional_properties = 21;
      TypeItem type = 22; ItemsItem items = 23; Schemas properties = 25; repeated NamedAny vendor_extension = 31;
    }
    message Query { string in = 2; string name = 4; string type = 6; }
    message NonBody { oneof oneof { Query query_parameter_sub_schema = 3; } }
    message Body { string name = 2; bool required = 4; Schema schema = 5; }
    message Parameter { oneof oneof { Body body_parameter = 1; NonBody non_body_parameter = 2; } }
    message ParametersItem { oneof oneof { Parameter parameter = 1; } }
    message Operation { string operation_id = 5; repeated ParametersItem parameters = 8; repeated NamedAny vendor_extension = 13; }
    message PathItem { Operation get = 2; Operation patch = 8; }
    message NamedPathItem { string name = 1; PathItem value = 2; }
    message Paths { repeated NamedPathItem path = 2; }
    message Info { string title = 1; string version = 2; }
    message Document { string swagger = 1; Info info = 2; Paths paths = 8; Schemas definitions = 9; }`);
  const Message = root.lookupType("Document");
  // Read back from JSON, as it comes from a cache.
  const bytes = finish(encodeOpenApiV2Protobuf(JSON.parse(JSON.stringify(document)) as OpenApiV2));
  const decoded = Message.toObject(Message.decode(bytes));
  expect(decoded).toMatchObject({ swagger: "2.0", info });
  const named = (entries: { name: string; value: unknown }[], name: string) =>
    entries.find((entry) => entry.name === name)?.value;
  expect(decoded["definitions"].additionalProperties).toHaveLength(Object.keys(document.definitions).length);
  const part = named(decoded["definitions"].additionalProperties, "io.orch.api.core.v1.Part") as Record<string, never>;
  expect(part).toMatchObject({ type: { value: ["object"] }, required: ["name"] });
  expect(named(part["properties"]?.["additionalProperties"] ?? [], "parts")).toEqual({
    type: { value: ["array"] },
    items: { schema: [{ _ref: "#/definitions/io.orch.api.core.v1.Part" }] },
    vendorExtension: [
      { name: "x-orch-list-type", value: { yaml: '"map"' } },
      { name: "x-orch-list-map-keys", value: { yaml: '["name"]' } },
      { name: "x-orch-patch-strategy", value: { yaml: '"merge"' } },
      { name: "x-orch-patch-merge-key", value: { yaml: '"name"' } },
    ],
  });
  const item = named(decoded["paths"].path, "/apis/tools.orch.io/v1/namespaces/{namespace}/things/{name}");
  expect(item).toMatchObject({
    patch: {
      operationId: "patchToolsV1NamespacedThing",
      parameters: expect.arrayContaining([
        {
          parameter: { nonBodyParameter: { queryParameterSubSchema: { in: "query", name: "dryRun", type: "string" } } },
        },
      ]),
      vendorExtension: expect.arrayContaining([{ name: "x-orch-action", value: { yaml: '"patch"' } }]),
    },
  });
});

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
