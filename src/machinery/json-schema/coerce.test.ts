import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../json/json-schema.ts";
import { copyJson } from "../json/json-value.ts";
import { coerce } from "./coerce.ts";
import { SchemaPlan } from "./plan.ts";

const prefix = "x-orch-";
const object = (properties: Record<string, JsonSchema>, more: object = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const string: JsonSchema = { type: "string" };

function coerced(schema: JsonSchema, value: unknown, how: { prunes?: boolean; defaults?: boolean } = {}) {
  const copy = copyJson(value);
  const { prunes = true, defaults = true } = how;
  const changed = coerce(copy, new SchemaPlan(schema, prefix), { prunes, defaults, isResource: true });
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
