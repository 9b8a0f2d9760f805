import { describe, expect, test } from "vitest";
import { decodeProtobuf, encodeProtobuf } from "../../../machinery/codec/protobuf.ts";
import { decodeKind } from "../../../machinery/schema/decode-kind.ts";
import { create } from "../../life.suite.ts";
import { problemsOf, stable, v1, version } from "./definition.suite.ts";

describe("the schema of a definition", () => {
  const at = "spec.validation.openAPIV3Schema.properties[a]";
  const problemsIn = (a: object) =>
    problemsOf({ versions: [version({ schema: { openAPIV3Schema: { type: "object", properties: { a } } } })] });
  const string = { type: "string" };
  const cases = [
    { why: "has known types", a: { type: "text" }, problems: [`NotSupported ${at}.type`] },
    { why: "has no null", a: { type: "null" }, problems: [`Forbidden ${at}.type`, `NotSupported ${at}.type`] },
    {
      why: "does without what the server does not look at",
      a: {
        type: "string",
        id: "x",
        $ref: "#",
        patternProperties: { x: string },
        dependencies: { x: ["y"] },
        definitions: { d: string },
      },
      problems: ["$ref", "definitions", "dependencies", "id", "patternProperties"].map(
        (keyword) => `Forbidden ${at}.${keyword}`,
      ),
    },
    {
      why: "has no schema that it does not name",
      a: { type: "string", $schema: "x" },
      problems: ["Invalid spec.validation.openAPIV3Schema"],
    },
    { why: "has patterns that are patterns", a: { type: "string", pattern: "(" }, problems: [`Invalid ${at}.pattern`] },
    {
      why: "has patterns without looking around",
      a: { type: "string", pattern: "^(?!x)" },
      problems: [`Invalid ${at}.pattern`],
    },
    {
      why: "has structs or maps",
      a: { type: "object", properties: { b: string }, additionalProperties: string },
      problems: [`Forbidden ${at}.additionalProperties`],
    },
    {
      why: "does not compare all items",
      a: { type: "array", items: string, uniqueItems: true },
      problems: [`Forbidden ${at}.uniqueItems`],
    },
    { why: "has items of one schema", a: { type: "array", items: [string] }, problems: [`Forbidden ${at}.items`] },
    {
      why: "merges what can be merged",
      a: { type: "string", "x-orch-map-type": "atomic", "x-orch-list-type": "set" },
      problems: [`Invalid ${at}.type`, `Invalid ${at}.type`],
    },
    {
      why: "merges in known ways",
      a: { type: "object", "x-orch-map-type": "odd" },
      problems: [`NotSupported ${at}.x-orch-map-type`],
    },
    {
      why: "has sets of what is replaced whole",
      a: { type: "array", "x-orch-list-type": "set", items: { type: "object" } },
      problems: [`Invalid ${at}.items.x-orch-map-type`],
    },
    {
      why: "has keys that are there",
      a: {
        type: "array",
        "x-orch-list-type": "map",
        "x-orch-list-map-keys": ["k", "m"],
        items: { type: "object", properties: { k: string } },
      },
      problems: [`Invalid ${at}.x-orch-list-map-keys`, `Required ${at}.items.properties[k].default`],
    },
    {
      why: "has keys for maps only",
      a: { type: "array", items: string, "x-orch-list-map-keys": ["k"] },
      problems: [`Required ${at}.x-orch-list-type`],
    },
    {
      why: "keeps what is unknown, or does not say",
      a: { type: "object", "x-orch-preserve-unknown-fields": false },
      problems: [`Invalid ${at}.x-orch-preserve-unknown-fields`],
    },
    { why: "has defaults of its own type", a: { type: "integer", default: "x" }, problems: [`Invalid ${at}.default`] },
    {
      why: "has defaults that it would keep",
      a: { type: "object", default: { b: 1 } },
      problems: [`Invalid ${at}.default`],
    },
    {
      why: "has no defaults in choices",
      a: { type: "string", anyOf: [{ default: "x" }] },
      problems: [`Forbidden ${at}.anyOf[0].default`, `Forbidden ${at}.anyOf[0].default`],
    },
  ];
  for (const { why, a, problems } of cases) test(why, () => expect(problemsIn(a)).toEqual(problems));

  test("leaves the status what it says, where the status has a path", () => {
    const schema = { openAPIV3Schema: { type: "object", anyOf: [{ required: ["spec"] }] } };
    expect(problemsOf({ versions: [version({ schema, subresources: { status: {} } })] })).toEqual([
      "Invalid spec.validation.openAPIV3Schema",
    ]);
  });

  test("is reported for its version where versions differ", () => {
    const bad = { openAPIV3Schema: { type: "object", properties: { a: {} } } };
    expect(problemsOf({ versions: [version(), version({ name: "v2", storage: false, schema: bad })] })).toEqual([
      "Required spec.versions[1].schema.openAPIV3Schema.properties[a].type",
    ]);
  });
});

describe("metadata within a schema", () => {
  const embedded = { type: "object", "x-orch-embedded-resource": true, "x-orch-preserve-unknown-fields": true };
  const schema = (properties: object) => [version({ schema: { openAPIV3Schema: { type: "object", properties } } })];

  test("has no defaults for members without names of their own", () => {
    const labels = { type: "object", additionalProperties: { type: "string", default: "x" } };
    const metadata = { type: "object", properties: { labels } };
    const at = "spec.validation.openAPIV3Schema.properties[a].properties[metadata].properties[labels]";
    expect(problemsOf({ versions: schema({ a: { ...embedded, properties: { metadata } } }) })).toEqual([
      `Forbidden ${at}.additionalProperties.default`,
    ]);
    expect(problemsOf({ versions: schema({ a: labels }) })).toEqual([]);
  });

  test("is kept as objects have it where it is a default", () => {
    const value = { apiVersion: "v1", kind: "Pod", metadata: { name: "x", extra: "y" } };
    const { object, problems } = create(v1, stable({ versions: schema({ a: { ...embedded, default: value } }) }));
    expect(problems).toEqual([]);
    expect(JSON.stringify(object["spec"])).toContain('"metadata":{"name":"x"}');
  });
});

test("choices between a schema and something simpler survive protobuf", () => {
  const schema = {
    items: [{ type: "string" }],
    additionalItems: false,
    additionalProperties: { type: "integer" },
    dependencies: { a: ["b", "c"], d: { required: ["e"] } },
    properties: { list: { items: { type: "string" } }, any: { additionalProperties: true } },
  };
  const definition = decodeKind(v1, stable({ versions: [version({ schema: { openAPIV3Schema: schema } })] }));
  const bytes = encodeProtobuf(v1.schema, definition);
  expect(decodeKind(v1, decodeProtobuf(v1.schema, bytes))).toEqual(definition);
  expect(definition["spec"]).toMatchObject({ versions: [{ schema: { openAPIV3Schema: schema } }] });
});
