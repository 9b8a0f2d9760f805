import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import type { JsonSchema } from "../json/json-schema.ts";
import { copyJson } from "../json/json-value.ts";
import { coerce, coerceInSteps } from "./coerce.ts";
import { SchemaPlan } from "./plan.ts";

const prefix = "x-orch-";
const object = (properties: Record<string, JsonSchema>, more: object = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const string: JsonSchema = { type: "string" };

const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`unknown${at}`, {}]));

function coerced(schema: JsonSchema, value: unknown, how: { prunes?: boolean; defaults?: boolean } = {}) {
  const [copy, large] = [copyJson(value), { ...copyJson(value as object), ...many }];
  const { prunes = true, defaults = true } = how;
  const plan = new SchemaPlan(schema, prefix);
  const changed = coerce(copy, plan, { prunes, defaults, isResource: true });
  // The same beside so much that is unknown that it takes steps.
  finish(coerceInSteps(large, plan, { prunes, defaults, isResource: true }));
  for (const name of Object.keys(many)) delete (large as Record<string, unknown>)[name];
  expect(large).toEqual(copy);
  return { value: copy, changed };
}

describe("defaults", () => {
  const schema = object({
    a: { ...string, default: "x" },
    inner: object({ b: { type: "integer", default: 1 } }),
    list: { type: "array", items: object({ c: { type: "boolean", default: true } }) },
    map: { type: "object", additionalProperties: object({ d: { ...string, default: "d" } }) },
    whole: object({ e: { ...string, default: "e" } }, { default: {} }),
  });

  test("are filled in where the enclosing object is present", () => {
    expect(coerced(schema, { inner: {}, list: [{}], map: { k: {} } })).toEqual({
      changed: true,
      value: { a: "x", inner: { b: 1 }, list: [{ c: true }], map: { k: { d: "d" } }, whole: { e: "e" } },
    });
  });

  test("do not replace given values, even empty ones", () => {
    const given = { a: "", inner: { b: 0 }, list: [{ c: false }], map: {}, whole: { e: "" } };
    expect(coerced(schema, given)).toEqual({ changed: false, value: given });
  });

  test("replace a null that the schema does not allow", () => {
    const nulls = object({
      a: { ...string, default: "x" },
      b: { ...string, default: "x", nullable: true },
      c: string,
      list: { type: "array", items: { ...string, default: "i" } },
      map: { type: "object", additionalProperties: { ...string, default: "m" } },
    });
    expect(coerced(nulls, { a: null, b: null, c: null, list: [null], map: { k: null } }).value).toEqual({
      a: "x",
      b: null,
      list: ["i"],
      map: { k: "m" },
    });
  });

  test("are copied into each object", () => {
    const shared = object({ a: { type: "object", default: { b: [] }, properties: { b: { type: "array" } } } });
    const plan = new SchemaPlan(shared, prefix);
    const [one, two] = [{}, {}] as { a?: { b: unknown[] } }[];
    for (const each of [one, two]) coerce(each, plan, { prunes: true, defaults: true, isResource: true });
    one?.a?.b.push(1);
    expect(two).toEqual({ a: { b: [] } });
  });

  test("may have any name", () => {
    const odd = object({ constructor: { ...string, default: "c" } });
    expect(coerced(odd, {}).value).toEqual({ constructor: "c" });
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","default":"p"}}}');
    const { value } = coerced(schema, {});
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

const preserved = { "x-orch-preserve-unknown-fields": true } as JsonSchema;

describe("nulls", () => {
  test("are removed where the schema does not allow them, unless nothing is pruned", () => {
    const schema = object({
      a: string,
      b: { ...string, nullable: true },
      any: preserved,
    });
    const value = { a: null, b: null, any: null };
    expect(coerced(schema, value).value).toEqual({ b: null });
    expect(coerced(schema, value, { prunes: false }).value).toEqual(value);
  });

  test("that a default will replace are kept until then", () => {
    const schema = object({ a: { ...string, default: "x" } });
    expect(coerced(schema, { a: null }, { defaults: false }).value).toEqual({ a: null });
  });

  test("in lists stay", () => {
    expect(coerced(object({ list: { type: "array", items: string } }), { list: [null] }).value).toEqual({
      list: [null],
    });
  });
});

test("of a schema with very many properties only those with values are read", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, index) => [`p${index}`, object({ a: { ...string, default: "x" } })]),
  );
  expect(coerced(object(properties), { p7: {}, p29999: { z: 1 }, q: 1 }).value).toEqual({
    p7: { a: "x" },
    p29999: { a: "x" },
  });
});

test("a large value is coerced in steps", () => {
  const items = object({ a: string, b: { type: "integer", default: 1 } });
  const schema = object({
    list: { type: "array", items },
    map: { type: "object", additionalProperties: items },
    texts: { type: "object", additionalProperties: string },
  });
  const count = 5_000;
  const all = Array.from({ length: count }, (_, at) => `k${at}`);
  const value = {
    list: all.map(() => ({ c: 1 })),
    map: Object.fromEntries(all.map((key) => [key, { a: "x" }])),
    texts: Object.fromEntries(all.map((key) => [key, "v"])),
  };
  const steps = coerceInSteps(value, new SchemaPlan(schema, prefix), {
    prunes: true,
    defaults: true,
    isResource: true,
  });
  let taken = 0;
  while (!steps.next().done) taken++;
  expect(taken).toBeGreaterThan((3 * count) / 1_000);
  expect([value.list.at(-1), value.map["k9"], value.texts["k9"]]).toEqual([{ b: 1 }, { a: "x", b: 1 }, "v"]);
});
