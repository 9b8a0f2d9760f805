import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import type { JsonSchema } from "../json/json-schema.ts";
import { plainEnvironment } from "../schema/environment.suite.ts";
import type { Environment } from "../schema/environment.ts";
import type { FieldErrors } from "../status/field-error.ts";
import { coerceDefaults, validateDefaults } from "./defaults.ts";

const prefix = "x-orch-";
const environment: Environment = plainEnvironment({ gates: { enabled: () => false } });
const show = (errors: FieldErrors) =>
  errors.map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${field}`).sort();
const string = { type: "string" };
const root = (properties: Record<string, object>, more: object = {}): JsonSchema =>
  ({ type: "object", properties, ...more }) as JsonSchema;
const problemsOf = (schema: JsonSchema) =>
  show(finish(validateDefaults(schema, "s", { prefix, environment, pruned: true })));

describe("a default", () => {
  test("must match its schema and have no unknown members", () => {
    expect(problemsOf(root({ a: { type: "integer", default: "x" }, b: { ...root({}), default: { c: 1 } } }))).toEqual([
      "Invalid s.properties[a].default",
      "Invalid s.properties[b].default",
    ]);
    expect(problemsOf(root({ a: { ...root({ b: string }), required: ["b"], default: {} } }))).toEqual([
      "Required s.properties[a].default.b",
    ]);
  });

  test("of an item is checked; one of an additional property is not", () => {
    const wrong = { type: "integer", default: "x" };
    expect(problemsOf(root({ a: { type: "array", items: wrong }, b: { additionalProperties: wrong } }))).toEqual([
      "Invalid s.properties[a].items.default",
    ]);
  });
});

test("items of a default that is a list have a dot in front, and those within members have none", () => {
  const list = { type: "array", items: { type: "string" } };
  const newest = plainEnvironment({ level: "1.35" });
  const schema = root({ a: { ...list, default: ["x", 1] }, b: { ...root({ c: list }), default: { c: [1] } } });
  const errors = finish(validateDefaults(schema, "s", { prefix, environment: newest, pruned: true }));
  expect(errors.map(({ field }) => field)).toEqual(["s.properties[a].default.[1]", "s.properties[b].default.c[0]"]);
});

test("a default of int-or-string may be anything, unless there is a type too", () => {
  const either = { [`${prefix}int-or-string`]: true, default: {} };
  expect(problemsOf(root({ a: either, b: { ...either, type: "string" } }))).toEqual([
    "Invalid s.properties[b].default",
  ]);
});

describe("a default that is an embedded object", () => {
  const embedded = { type: "object", "x-orch-embedded-resource": true, "x-orch-preserve-unknown-fields": true };
  const at = "s.properties[a].default";
  const who = { apiVersion: "v1", kind: "Pod" };
  const cases: { why: string; value: object; problems: string[] }[] = [
    { why: "must have apiVersion and kind", value: {}, problems: [`Required ${at}.apiVersion`, `Required ${at}.kind`] },
    {
      why: "must not have an empty apiVersion and kind",
      value: { apiVersion: "", kind: "" },
      problems: [`Required ${at}.apiVersion`, `Required ${at}.kind`],
    },
    {
      why: "must have a valid apiVersion",
      value: { ...who, apiVersion: "a/b/c" },
      problems: [`Invalid ${at}.apiVersion`],
    },
    { why: "must have a valid kind", value: { ...who, kind: "Po d" }, problems: [`Invalid ${at}.kind`] },
    {
      why: "must have members of the right types, which is checked first",
      value: { apiVersion: 1 },
      problems: [`Invalid ${at}.apiVersion`],
    },
    { why: "must have metadata that is an object", value: { metadata: "x" }, problems: [`Invalid ${at}.metadata`] },
    {
      why: "must have metadata of the right types",
      value: { ...who, metadata: { finalizers: "x" } },
      problems: [`Invalid ${at}.metadata`],
    },
    {
      why: "must have valid metadata",
      value: { ...who, metadata: { name: "a/b", labels: { "a b": "c" }, finalizers: ["a b"], namespace: "N" } },
      problems: ["finalizers", "labels", "name", "namespace"].map((field) => `Invalid ${at}.metadata.${field}`),
    },
    { why: "need not have a name", value: { ...who, metadata: {} }, problems: [] },
  ];
  for (const { why, value, problems } of cases)
    test(why, () => expect(problemsOf(root({ a: { ...embedded, default: value } }))).toEqual(problems));

  test("is found inside other values", () => {
    const list = { type: "array", items: embedded, default: [who, {}] };
    const map = { type: "object", additionalProperties: embedded, default: { m: { kind: "Pod" } } };
    expect(problemsOf(root({ list, map }))).toEqual([
      "Required s.properties[list].default[1].apiVersion",
      "Required s.properties[list].default[1].kind",
      "Required s.properties[map].default[m].apiVersion",
    ]);
  });

  test("may be set in parts, which together must be valid metadata", () => {
    const metadata = (properties: object) =>
      root({ a: { ...embedded, properties: { metadata: root(properties as never) } } });
    const labels = (value: object) =>
      metadata({ labels: { type: "object", additionalProperties: string, default: value } });
    const where = "s.properties[a].properties[metadata].properties";
    expect(problemsOf(labels({ a: "b" }))).toEqual([]);
    expect(problemsOf(labels({ a: 1 }))).toEqual([`Invalid ${where}[labels].default`]);
    expect(problemsOf(labels({ "a b": "c" }))).toEqual([`Invalid ${where}[labels].default`]);
    const finalizers = { type: "array", items: { ...string, default: "a b" } };
    expect(problemsOf(metadata({ finalizers }))).toEqual([`Invalid ${where}[finalizers].items.default`]);
    const kind = { ...string, default: "Po d" };
    expect(problemsOf(root({ a: { ...embedded, properties: { kind } } }))).toEqual([
      "Invalid s.properties[a].properties[kind].default",
    ]);
  });

  test("keeps only known members of metadata", () => {
    const value = { ...who, metadata: { name: "x", extra: "y", creationTimestamp: null }, extra: "z" };
    const schema = root({ a: { ...embedded, default: value }, b: { ...embedded, default: who } });
    coerceDefaults(schema, prefix);
    expect(schema.properties).toMatchObject({ a: { default: { ...who, extra: "z" } }, b: { default: who } });
    expect(schema.properties?.["a"]?.default).toEqual({ ...who, metadata: { name: "x" }, extra: "z" });
  });
});

describe("defaults that would take long to check against their schemas", () => {
  const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
  const values = many(1_000, (at) => `v${at}`);
  const listOf = (items: object, value: unknown) => root({ a: { type: "array", items, default: value } });
  const refused = ["Invalid s.properties[a].default"];
  const cases = [
    { why: "many values, many alternatives", items: { ...string, anyOf: many(1_000, (at) => ({ minLength: at })) } },
    { why: "many values, many allowed ones", items: { ...string, enum: [...values].reverse() } },
    {
      why: "alternatives of alternatives",
      items: { ...string, allOf: many(200, () => ({ oneOf: many(200, (at) => ({ maxLength: at })) })) },
    },
  ];
  for (const { why, items } of cases) {
    test(`are refused: ${why}`, () => {
      expect(problemsOf(listOf(items, values))).toEqual(refused);
      expect(problemsOf(listOf(items, values.slice(0, 2))).length).not.toBe(1);
    });
  }

  test("are refused for a long text and many alternatives", () => {
    const items = { ...string, anyOf: many(1_000, (at) => ({ minLength: at })) };
    expect(problemsOf(listOf(items, ["x".repeat(1_000_000)]))).toEqual(refused);
  });

  test("share one work limit", () => {
    const one = { type: "array", items: { ...string, enum: values }, default: values.slice(0, 80) };
    const first = Object.fromEntries(many(5, (at) => [`p${at}`, one]));
    expect(problemsOf(root({ p0: one }))).toEqual([]);
    expect(problemsOf(root(first)).length).toBeGreaterThan(0);
  });
});
