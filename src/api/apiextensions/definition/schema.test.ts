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
    { why: "must have known types", a: { type: "text" }, problems: [`NotSupported ${at}.type`] },
    {
      why: "must not have the type null",
      a: { type: "null" },
      problems: [`Forbidden ${at}.type`, `NotSupported ${at}.type`],
    },
    {
      why: "must not use unsupported keywords",
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
      why: "must not use $schema",
      a: { type: "string", $schema: "x" },
      problems: ["Invalid spec.validation.openAPIV3Schema"],
    },
    { why: "must have valid patterns", a: { type: "string", pattern: "(" }, problems: [`Invalid ${at}.pattern`] },
    {
      why: "must not use lookaround in patterns",
      a: { type: "string", pattern: "^(?!x)" },
      problems: [`Invalid ${at}.pattern`],
    },
    {
      why: "must not combine properties and additionalProperties",
      a: { type: "object", properties: { b: string }, additionalProperties: string },
      problems: [`Forbidden ${at}.additionalProperties`],
    },
    {
      why: "must not use uniqueItems",
      a: { type: "array", items: string, uniqueItems: true },
      problems: [`Forbidden ${at}.uniqueItems`],
    },
    {
      why: "must have one schema for all items",
      a: { type: "array", items: [string] },
      problems: [`Forbidden ${at}.items`],
    },
    {
      why: "must use merge extensions only with the right types",
      a: { type: "string", "x-orch-map-type": "atomic", "x-orch-list-type": "set" },
      problems: [`Invalid ${at}.type`, `Invalid ${at}.type`],
    },
    {
      why: "must use known merge types",
      a: { type: "object", "x-orch-map-type": "odd" },
      problems: [`NotSupported ${at}.x-orch-map-type`],
    },
    {
      why: "must have atomic items in sets",
      a: { type: "array", "x-orch-list-type": "set", items: { type: "object" } },
      problems: [`Invalid ${at}.items.x-orch-map-type`],
    },
    {
      why: "must have declared and required or defaulted list map keys",
      a: {
        type: "array",
        "x-orch-list-type": "map",
        "x-orch-list-map-keys": ["k", "m"],
        items: { type: "object", properties: { k: string } },
      },
      problems: [`Invalid ${at}.x-orch-list-map-keys`, `Required ${at}.items.properties[k].default`],
    },
    {
      why: "must have list map keys only with list type map",
      a: { type: "array", items: string, "x-orch-list-map-keys": ["k"] },
      problems: [`Required ${at}.x-orch-list-type`],
    },
    {
      why: "must not set preserve-unknown-fields to false",
      a: { type: "object", "x-orch-preserve-unknown-fields": false },
      problems: [`Invalid ${at}.x-orch-preserve-unknown-fields`],
    },
    {
      why: "must have defaults of the right type",
      a: { type: "integer", default: "x" },
      problems: [`Invalid ${at}.default`],
    },
    {
      why: "must not have defaults that pruning would change",
      a: { type: "object", default: { b: 1 } },
      problems: [`Invalid ${at}.default`],
    },
    {
      why: "must not have defaults in choices",
      a: { type: "string", anyOf: [{ default: "x" }] },
      problems: [`Forbidden ${at}.anyOf[0].default`],
    },
  ];
  for (const { why, a, problems } of cases) test(why, () => expect(problemsIn(a)).toEqual(problems));

  test("with a status subresource may constrain only types at the root", () => {
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

  test("has no defaults for additional properties", () => {
    const labels = { type: "object", additionalProperties: { type: "string", default: "x" } };
    const metadata = { type: "object", properties: { labels } };
    const at = "spec.validation.openAPIV3Schema.properties[a].properties[metadata].properties[labels]";
    expect(problemsOf({ versions: schema({ a: { ...embedded, properties: { metadata } } }) })).toEqual([
      `Forbidden ${at}.additionalProperties.default`,
    ]);
    expect(problemsOf({ versions: schema({ a: labels }) })).toEqual([]);
  });

  test("is pruned in defaults", () => {
    const value = { apiVersion: "v1", kind: "Pod", metadata: { name: "x", extra: "y" } };
    const { object, problems } = create(v1, stable({ versions: schema({ a: { ...embedded, default: value } }) }));
    expect(problems).toEqual([]);
    expect(JSON.stringify(object["spec"])).toContain('"metadata":{"name":"x"}');
  });
});

test("choices between a schema and a simpler value are kept in protobuf", () => {
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
