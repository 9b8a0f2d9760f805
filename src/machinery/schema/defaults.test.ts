import { describe, expect, test } from "vitest";
import { createCatalog } from "../catalog/bind.ts";
import { deepFreeze } from "../json/json-value.ts";
import type { Fields } from "./build.ts";
import { bool, elided, int32, intOrString, list, map, nullable, optional, quantity, string, struct } from "./build.ts";
import type { BoundKind } from "./catalog.ts";
import { decodeObject } from "./decode.ts";
import { decodeKind } from "./decode-kind.ts";
import { defaultKind } from "./default-kind.ts";
import { applyDefaults } from "./defaults.ts";
import { plainEnvironment } from "./environment.suite.ts";
import type { Environment } from "./environment.ts";
import { kind } from "./kind.ts";
import type { StructSchema } from "./schema.ts";

const environment: Environment = plainEnvironment();
const schemaOf = (fields: Fields) => struct("test.v1.Test", fields).schema as StructSchema;

describe("defaults", () => {
  const fill = (fields: Fields, given: unknown) => {
    const schema = schemaOf(fields);
    const object = decodeObject(schema, given);
    applyDefaults(schema, object, environment);
    return object;
  };

  test("fill in absent values", () => {
    const fields = {
      elided: elided(string()).default("a"),
      required: string().default("b"),
      optional: optional(int32()).default(3),
      nullable: nullable(string()).default("c"),
      list: elided(list(string())).default(["d"]),
      quantity: elided(quantity()).default("1"),
      port: elided(intOrString()).default("http"),
    };
    expect(fill(fields, {})).toEqual({
      elided: "a",
      required: "b",
      optional: 3,
      nullable: "c",
      list: ["d"],
      quantity: "1",
      port: "http",
    });
  });

  test("keep set values, and a zero where it differs from absence", () => {
    const fields = { pointer: optional(bool()).default(true), value: elided(int32()).default(3) };
    expect(fill(fields, { pointer: false, value: 0 })).toEqual({ pointer: false, value: 3 });
  });

  test("are copies: changing one object does not affect the next", () => {
    const fields = { list: elided(list(string())).default(["a"]) };
    (fill(fields, {})["list"] as string[]).push("b");
    expect(fill(fields, {})).toEqual({ list: ["a"] });
  });

  test("round amounts that are finer than their map allows, away from zero", () => {
    const fields = { amounts: elided(map(quantity(), { finest: "milli" })), exact: elided(map(quantity())) };
    const given = { a: "1u", b: "-1n", c: "1.0001", d: "5e-6", e: "1.5Gi", f: "250m" };
    expect(fill(fields, { amounts: given, exact: { a: "1u" } })).toEqual({
      amounts: { a: "1m", b: "-1m", c: "1001m", d: "1e-3", e: "1536Mi", f: "250m" },
      exact: { a: "1u" },
    });
  });

  test("visit a struct before its fields, and reach into lists and maps", () => {
    const seen: string[] = [];
    const Inner = struct(
      "test.v1.Inner",
      { name: string(), from: elided(string()).default("field") },
      {
        defaults: (inner) => {
          seen.push(inner.name);
          if (inner.name === "b") inner.from = "struct";
        },
      },
    );
    const Outer = struct(
      "test.v1.Outer",
      { one: optional(Inner), all: elided(list(Inner)), by: elided(map(Inner)) },
      {
        defaults: (outer) => {
          outer.one ??= { name: "made" };
        },
      },
    );
    const object = decodeObject(schemaOf({ outer: elided(Outer) }), {
      outer: { all: [{ name: "a" }, { name: "b" }], by: { k: { name: "c" } } },
    });
    applyDefaults(schemaOf({ outer: elided(Outer) }), object, environment);
    expect(object).toEqual({
      outer: {
        one: { name: "made", from: "field" },
        all: [
          { name: "a", from: "field" },
          { name: "b", from: "struct" },
        ],
        by: { k: { name: "c", from: "field" } },
      },
    });
    expect(seen).toEqual(["made", "a", "b", "c"]);
  });

  test("reach into a struct that contains itself", () => {
    const treeFields = (): Fields => ({ name: elided(string()).default("n"), child: optional(Tree) });
    const Tree: Fields[string] = struct("test.v1.Tree", treeFields);
    const object = decodeObject(Tree.schema as StructSchema, { child: { child: {} } });
    applyDefaults(Tree.schema as StructSchema, object, environment);
    expect(object).toEqual({ name: "n", child: { name: "n", child: { name: "n" } } });
  });

  test("of a kind come before those of its fields", () => {
    const Thing = kind({
      group: "",
      version: "v1",
      kind: "Thing",
      resource: "things",
      scope: "Cluster",
      doc: "",
      fields: { a: elided(string()).default("field"), b: elided(string()).default("field") },
      defaults: (thing, { vocabulary }) => {
        thing.a ??= vocabulary.name;
      },
    });
    const bound = createCatalog([Thing], environment).byKind("", "v1", "Thing") as BoundKind;
    const object = decodeKind(bound, { metadata: { name: "x" } });
    defaultKind(bound, object);
    expect(object).toMatchObject({ a: "orch", b: "field" });
  });
});

test("a frozen value cannot be changed at any depth", () => {
  const value = deepFreeze({ a: [{ b: 1 }], c: { d: "e" } });
  expect(() => Object.assign(value.a[0] as object, { b: 2 })).toThrow(TypeError);
  expect(() => value.a.push({ b: 2 })).toThrow(TypeError);
  expect(() => Object.assign(value.c, { d: "f" })).toThrow(TypeError);
});
