import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import type { JsonSchema } from "../json/json-schema.ts";
import type { FieldErrors } from "../status/field-error.ts";
import { coerce } from "./coerce.ts";
import { SchemaPlan } from "./plan.ts";
import { unsupportedKeyword, validateStructural } from "./structural.ts";
import { validateValue } from "./value.ts";

const prefix = "x-orch-";
const show = (errors: FieldErrors) =>
  errors.map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${field}`).sort();
const string: JsonSchema = { type: "string" };
const root = (properties: Record<string, object>, more: object = {}): JsonSchema =>
  ({ type: "object", properties, ...more }) as JsonSchema;

describe("a structural schema", () => {
  const cases = [
    { why: "must have the type object", schema: { type: "string" }, problems: ["Invalid s.type"] },
    {
      why: "must have a type everywhere",
      schema: root({ a: {}, b: { type: "array", items: {} } }),
      problems: ["Required s.properties[a].type", "Required s.properties[b].items.type"],
    },
    {
      why: "must describe the items of a list",
      schema: root({ a: { type: "array" } }),
      problems: ["Required s.properties[a].items"],
    },
    {
      why: "cannot be a map at the root",
      schema: { type: "object", additionalProperties: string },
      problems: ["Forbidden s.additionalProperties"],
    },
    {
      why: "needs no type where any value is allowed",
      schema: root({ a: { "x-orch-preserve-unknown-fields": true } }),
      problems: [],
    },
    {
      why: "must not declare fields in choices",
      schema: root({ a: { type: "string", anyOf: [{ type: "string", title: "x", nullable: true }] } }),
      problems: ["nullable", "title", "type"].map((keyword) => `Forbidden s.properties[a].anyOf[0].${keyword}`),
    },
    {
      why: "may name the two types of int-or-string, in one order",
      schema: root({
        a: { "x-orch-int-or-string": true, anyOf: [{ type: "integer" }, string] },
        b: { "x-orch-int-or-string": true, allOf: [{ anyOf: [{ type: "integer" }, string] }, { pattern: "1" }] },
        c: { "x-orch-int-or-string": true, anyOf: [string, { type: "integer" }] },
        d: { type: "string", anyOf: [{ type: "integer" }, string] },
        e: {
          "x-orch-int-or-string": true,
          anyOf: [{ type: "integer" }, string],
          allOf: [{ anyOf: [{ type: "integer" }, string] }],
        },
      }),
      problems: ["Forbidden s.properties[c].anyOf[0].type", "Forbidden s.properties[c].anyOf[1].type"],
    },
    {
      why: "must have valid patterns everywhere",
      schema: root({
        a: { type: "string", pattern: "(" },
        b: { type: "array", items: { type: "string", pattern: "[a-z" } },
        c: { type: "object", additionalProperties: { type: "string", pattern: "^(?!x)" } },
        d: { type: "string", not: { pattern: "(a)\\1" }, oneOf: [{ pattern: "a{5000}" }, { pattern: "^fine$" }] },
      }),
      problems: [
        "Invalid s.properties[a].pattern",
        "Invalid s.properties[b].items.pattern",
        "Invalid s.properties[c].additionalProperties.pattern",
        "Invalid s.properties[d].not.pattern",
        "Invalid s.properties[d].oneOf[0].pattern",
      ],
    },
    {
      why: "may describe metadata in words, but not restrict it",
      schema: root({ metadata: { type: "object", externalDocs: { url: "u" }, example: {} } }),
      problems: [],
    },
    {
      why: "must declare the fields that its choices mention",
      schema: root({ a: { type: "object" } }, { allOf: [{ properties: { a: { properties: { b: {} } }, c: {} } }] }),
      problems: ["Required s.properties[a].properties[b]", "Required s.properties[c]"],
    },
    {
      why: "must not change the types of apiVersion, kind and metadata",
      schema: root({
        kind: { type: "integer" },
        metadata: { type: "object", properties: { labels: { type: "object" } } },
      }),
      problems: ["Forbidden s.properties[metadata]", "Invalid s.properties[kind].type"],
    },
    {
      why: "may restrict names",
      schema: root({ metadata: { type: "object", properties: { name: string } } }),
      problems: [],
    },
    {
      why: "must not restrict metadata in choices",
      schema: root({}, { not: { properties: { metadata: {} } } }),
      problems: ["Forbidden s.not.properties[metadata]", "Required s.properties[metadata]"],
    },
    {
      why: "must declare members for embedded objects",
      schema: root({ a: { type: "object", "x-orch-embedded-resource": true } }),
      problems: ["Required s.properties[a].properties"],
    },
    {
      why: "must not combine int-or-string and preserve-unknown-fields",
      schema: root({ a: { "x-orch-int-or-string": true, "x-orch-preserve-unknown-fields": true } }),
      problems: ["Invalid s.properties[a].x-orch-preserve-unknown-fields"],
    },
  ];
  for (const { why, schema, problems } of cases)
    test(why, () => expect(show(finish(validateStructural(schema as JsonSchema, "s", prefix)))).toEqual(problems));

  test("must not use unsupported keywords anywhere", () => {
    expect(finish(unsupportedKeyword(root({ a: { type: "array", items: { $ref: "#" } as object } }), prefix))).toBe(
      "$ref",
    );
    expect(finish(unsupportedKeyword(root({ a: { anyOf: [{ additionalItems: false }] } }), prefix))).toBe(
      "additionalItems",
    );
    expect(finish(unsupportedKeyword(root({ a: { "x-orch-preserve-unknown-fields": false } }), prefix))).toBe(
      "x-orch-preserve-unknown-fields",
    );
    expect(finish(unsupportedKeyword(root({ a: { "x-orch-preserve-unknown-fields": true } }), prefix))).toBeUndefined();
  });
});

describe("a value", () => {
  const cases = [
    { why: "a whole number is a number", schema: { type: "number" }, value: 1, problems: [] },
    { why: "a large integer is an integer", schema: { type: "integer", minimum: 1 }, value: 2n ** 60n, problems: [] },
    {
      why: "a fraction is not an integer",
      schema: { type: "integer" },
      value: 1.5,
      problems: ["Invalid v"],
    },
    { why: "null must be allowed by the schema", schema: { type: "string" }, value: null, problems: ["Invalid v"] },
    { why: "null may be allowed", schema: { type: "string", nullable: true, minLength: 1 }, value: null, problems: [] },
    { why: "characters are counted, not bytes", schema: { type: "string", maxLength: 1 }, value: "😀", problems: [] },
    {
      why: "enum does not match null",
      schema: { nullable: true, type: "string", enum: ["a", null] },
      value: null,
      problems: ["NotSupported v"],
    },
    { why: "enum compares values", schema: { enum: [{ a: 1 }, "b"] }, value: { a: 2 }, problems: ["NotSupported v"] },
    {
      why: "bounds may be exclusive",
      schema: { minimum: 1, exclusiveMinimum: true, maximum: 1 },
      value: 1,
      problems: ["Invalid v"],
    },
    { why: "multiples", schema: { multipleOf: 0.5 }, value: 0.75, problems: ["Invalid v"] },
    { why: "multiples are exact", schema: { multipleOf: 2 }, value: 1_000_000_001, problems: ["Invalid v"] },
    { why: "also of 64 bits", schema: { multipleOf: 2 }, value: 9007199254740993n, problems: ["Invalid v"] },
    { why: "multiples of 64 bits", schema: { multipleOf: 3 }, value: 9007199254740993n, problems: [] },
    {
      why: "paths have no positions in lists",
      schema: { type: "array", maxItems: 1, items: { type: "object", required: ["a"], properties: { b: string } } },
      value: [{}, { a: 1, b: 2 }],
      problems: ["Invalid v", "Invalid v.b", "Required v.a"],
    },
    {
      why: "maps",
      schema: { additionalProperties: { type: "integer" }, maxProperties: 1 },
      value: { a: "x", b: 1 },
      problems: ["Invalid v"],
    },
    {
      why: "inherited names are not members",
      schema: { required: ["constructor"], properties: {} },
      value: {},
      problems: ["Required v.constructor"],
    },
    {
      why: "undeclared members may be forbidden",
      schema: { additionalProperties: false, properties: { a: string } },
      value: { b: 1 },
      problems: ["Invalid v"],
    },
    {
      why: "one of several",
      schema: { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      value: {},
      problems: ["Invalid v", "Required v.a"],
    },
    {
      why: "what an alternative requires too is said once",
      schema: { required: ["a"], oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      value: {},
      problems: ["Invalid v", "Required v.a"],
    },
    {
      why: "exactly one, not two",
      schema: { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      value: { a: 1, b: 2 },
      problems: ["Invalid v"],
    },
    {
      why: "any of several",
      schema: { anyOf: [{ minimum: 5 }, { maximum: 1 }] },
      value: 3,
      problems: ["Invalid v", "Invalid v"],
    },
    {
      why: "all of several",
      schema: { allOf: [{ minimum: 5 }, { maximum: 9 }] },
      value: 3,
      problems: ["Invalid v", "Invalid v"],
    },
    { why: "none of them", schema: { not: { minimum: 1 } }, value: 3, problems: ["Invalid v"] },
    { why: "formats", schema: { type: "string", format: "ipv4" }, value: "1.2.3", problems: ["Invalid v"] },
  ];
  for (const { why, schema, value, problems } of cases)
    test(why, () =>
      expect(show(validateValue(new SchemaPlan(schema as JsonSchema, prefix), value, "v", { left: 1_000 }))).toEqual(
        problems,
      ),
    );
});

describe("pruning", () => {
  const pruned = (value: unknown, schema: JsonSchema, isResource = false) => {
    coerce(value, new SchemaPlan(schema, prefix), { prunes: true, defaults: false, isResource });
    return value;
  };

  test("removes unknown members, at every depth", () => {
    const schema = root({ a: root({ b: string }), list: { type: "array", items: root({ c: string }) } });
    expect(pruned({ a: { b: "1", x: 1 }, list: [{ c: "1", y: 2 }], z: 3 }, schema)).toEqual({
      a: { b: "1" },
      list: [{ c: "1" }],
    });
  });

  test("preserves unknown fields where the schema says so, and still checks declared ones there", () => {
    const schema = root({ a: { ...root({ b: root({ c: string }) }), "x-orch-preserve-unknown-fields": true } });
    expect(pruned({ a: { b: { c: "1", x: 1 }, y: { z: 1 } } }, schema)).toEqual({ a: { b: { c: "1" }, y: { z: 1 } } });
  });

  test("keeps apiVersion, kind and metadata, also of embedded objects", () => {
    const schema = root({ inner: { ...root({ a: string }), "x-orch-embedded-resource": true } });
    const whole = { kind: "A", metadata: { name: "x" }, inner: { apiVersion: "v1", metadata: { labels: {} }, b: 1 } };
    expect(pruned(whole, schema, true)).toEqual({
      kind: "A",
      metadata: { name: "x" },
      inner: { apiVersion: "v1", metadata: { labels: {} } },
    });
  });

  test("is idempotent for every value", () => {
    const schema = root({
      a: { type: "array", items: root({ b: string }) },
      m: { type: "object", additionalProperties: root({ c: string }) },
    });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = structuredClone(pruned(structuredClone(value), schema));
        expect(pruned(structuredClone(once), schema)).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });
});
