import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StatusError } from "../status/status.ts";
import {
  bool,
  bytes,
  double,
  duration,
  elided,
  type Fields,
  int32,
  int64,
  intOrString,
  json,
  list,
  map,
  microTime,
  nullable,
  optional,
  quantity,
  string,
  struct,
  time,
  uint32,
} from "./build.ts";
import { decodeObject } from "./decode.ts";
import { membersMax } from "./decode-tally.ts";
import { ObjectMetaStruct } from "./object-meta.ts";
import type { StructSchema } from "./schema.ts";

const Inner = struct("test.v1.Inner", { name: string(), note: elided(string()) });
const scalars = {
  string: string(),
  bool: bool(),
  int32: int32(),
  int64: int64(),
  uint32: uint32(),
  double: double(),
  bytes: bytes(),
  quantity: quantity(),
  intOrString: intOrString(),
  time: time(),
  microTime: microTime(),
  duration: duration(),
  json: json(),
};
const everything: Fields = { ...scalars, list: list(string()), map: map(string()), struct: Inner };

const schemaOf = (fields: Fields) => struct("test.v1.Test", fields).schema as StructSchema;
const inPresence = (as: (field: Fields[string]) => Fields[string]) =>
  schemaOf(Object.fromEntries(Object.entries(everything).map(([name, field]) => [name, as(field)])));

const zeros = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  double: 0,
  quantity: "0",
  intOrString: 0,
  duration: "0s",
};

describe("an absent value", () => {
  test("a required value prints its zero value, and a list or map null", () => {
    expect(decodeObject(schemaOf(everything), {})).toEqual({
      ...zeros,
      bytes: null,
      time: null,
      microTime: null,
      json: null,
      list: null,
      map: null,
      struct: { name: "" },
    });
  });

  test("an elided value is omitted, except for types that are structs in v1.21", () => {
    expect(decodeObject(inPresence(elided), {})).toEqual({
      quantity: "0",
      intOrString: 0,
      duration: "0s",
      time: null,
      microTime: null,
      json: null,
      struct: { name: "" },
    });
  });

  test("an optional value is omitted", () => {
    expect(decodeObject(inPresence(optional), {})).toEqual({});
  });

  test("a nullable value is null", () => {
    const names = Object.keys(everything);
    expect(decodeObject(inPresence(nullable), {})).toEqual(Object.fromEntries(names.map((name) => [name, null])));
  });

  test("null is absent, at the top as well", () => {
    for (const as of [(field: Fields[string]) => field, elided, optional, nullable]) {
      const schema = inPresence(as);
      const nulls = Object.fromEntries(Object.keys(everything).map((name) => [name, null]));
      expect(decodeObject(schema, nulls)).toEqual(decodeObject(schema, {}));
      expect(decodeObject(schema, null)).toEqual(decodeObject(schema, {}));
    }
  });
});

describe("an explicit zero value", () => {
  const given = { ...zeros, bytes: "", list: [], map: {}, struct: {} };

  test("is omitted where it is elided", () => {
    const schema = inPresence(elided);
    expect(decodeObject(schema, given)).toEqual(decodeObject(schema, {}));
  });

  test("stays where it is optional, except for lists, maps and bytes", () => {
    expect(decodeObject(inPresence(optional), given)).toEqual({ ...zeros, struct: { name: "" } });
  });

  test("is null where it is a required list or map", () => {
    expect(decodeObject(schemaOf({ list: list(string()), map: map(string()) }), { list: [], map: {} })).toEqual({
      list: null,
      map: null,
    });
  });

  test("stays an empty list where the declaration says so", () => {
    const schema = schemaOf({
      kept: list(string(), { keepsEmpty: true }),
      gone: elided(list(string(), { keepsEmpty: true })),
      told: optional(list(string(), { keepsEmpty: true })),
    });
    expect(decodeObject(schema, { kept: [], gone: [], told: [] })).toEqual({ kept: [], told: [] });
    expect(decodeObject(schema, {})).toEqual({ kept: null });
  });
});

describe("values", () => {
  const cases: { field: keyof typeof everything; given: unknown; read: unknown; why: string }[] = [
    { field: "quantity", given: "1000m", read: "1", why: "quantities are canonical" },
    { field: "quantity", given: 2, read: "2", why: "quantities may be numbers" },
    { field: "quantity", given: Object(3), read: "3", why: "a boxed number is a number" },
    { field: "intOrString", given: "25%", read: "25%", why: "a text stays a text" },
    { field: "intOrString", given: 8080, read: 8080, why: "a number stays a number" },
    { field: "time", given: "2021-02-03T04:05:06.9+02:00", read: "2021-02-03T02:05:06Z", why: "UTC to the second" },
    {
      field: "microTime",
      given: "2021-02-03T04:05:06.000007Z",
      read: "2021-02-03T04:05:06.000007Z",
      why: "six digits",
    },
    { field: "duration", given: "90m", read: "1h30m0s", why: "durations are canonical" },
    { field: "int64", given: 9223372036854775807n, read: 9223372036854775807n, why: "64 bits are exact" },
    { field: "int64", given: 5n, read: 5, why: "a small integer is a number" },
    { field: "int32", given: -0, read: 0, why: "negative zero is zero" },
    { field: "uint32", given: 4294967295, read: 4294967295, why: "the largest integer" },
    { field: "double", given: Object(3), read: 3, why: "3.0 is a number" },
    { field: "bytes", given: "YQ==", read: "YQ==", why: "base64" },
    { field: "bytes", given: [97, null, 255], read: "YQD/", why: "numbers" },
    { field: "bytes", given: "YR==", read: "YQ==", why: "unused bits are cleared" },
    { field: "bytes", given: "Y\r\nWI=\n", read: "YWI=", why: "line breaks are skipped" },
    { field: "json", given: { a: [1, null] }, read: { a: [1, null] }, why: "any JSON" },
    { field: "list", given: ["a", null], read: ["a", ""], why: "null among items is the zero value" },
    { field: "map", given: { a: null }, read: { a: "" }, why: "null among values is the zero value" },
  ];
  for (const { field, given, read, why } of cases) {
    test(`${field}: ${why}`, () => {
      const schema = schemaOf({ field: optional(everything[field] as Fields[string]) });
      const result = decodeObject(schema, { field: given });
      expect(result).toEqual({ field: read });
      expect(Object.is(result["field"], -0)).toBe(false);
    });
  }

  const wrong: { field: keyof typeof everything; given: unknown[] }[] = [
    { field: "string", given: [1, true, {}, []] },
    { field: "bool", given: [1, "true", {}] },
    { field: "int32", given: ["1", 1.5, 2147483648, -2147483649, Object(3), {}, true, 1n << 40n, Number.NaN] },
    { field: "int64", given: ["1", 1.5, 1e300, 9223372036854775808n, Object(3), []] },
    { field: "uint32", given: [-1, 4294967296] },
    { field: "double", given: ["1", {}, Number.NaN, Number.POSITIVE_INFINITY] },
    { field: "bytes", given: ["YQ", "YQ=", "*===", "====", "a b=", 1, [1, 256], ["a"]] },
    { field: "quantity", given: ["lots", "", true, {}, "1 Gi"] },
    { field: "intOrString", given: [1.5, 2147483648, Object(3), {}, true] },
    { field: "time", given: ["yesterday", "", 0, "2021-02-30T00:00:00Z", {}] },
    { field: "microTime", given: ["2021-02-03T04:05:06Z", 0] },
    { field: "duration", given: ["1", "soon", 5] },
    { field: "list", given: [{}, "a", 1, Object(3)] },
    { field: "map", given: [[], "a", 1, Object(3)] },
    { field: "struct", given: [[], "a", 1, Object(3)] },
  ];
  for (const { field, given } of wrong) {
    test(`${field} refuses values of another type`, () => {
      const schema = schemaOf({ outer: list(struct("test.v1.Outer", { field: everything[field] as Fields[string] })) });
      for (const value of given) {
        expect(() => decodeObject(schema, { outer: [{}, { field: value }] })).toThrow(
          expect.objectContaining({ code: 400, message: expect.stringContaining("outer[1].field: must be ") }),
        );
      }
    });
  }

  test("the key of a map is part of the path, cut if it is long", () => {
    const schema = schemaOf({ labels: map(string()) });
    expect(() => decodeObject(schema, { labels: { "a/b": 1 } })).toThrow("labels[a/b]: must be a string, not 1");
    expect(() => decodeObject(schema, { labels: { ["k".repeat(100_000)]: 1 } })).toThrow(/^labels\[k{64}…\]/);
  });

  test("anything but an object is refused at the top", () => {
    for (const value of ["a", 1, true, [], Object(1)]) {
      expect(() => decodeObject(schemaOf({}), value)).toThrow(StatusError);
    }
  });
});

test("times are read correctly however many have been read before", () => {
  const schema = schemaOf({ at: elided(time()) });
  for (let round = 0; round < 2; round++) {
    for (let second = 0; second < 3_000; second++) {
      const text = `${new Date(second * 1_000).toISOString().slice(0, 19)}Z`;
      expect(decodeObject(schema, { at: text })["at"]).toBe(text);
    }
    expect(decodeObject(schema, { at: "0001-01-01T00:00:00Z" })["at"]).toBe(null);
    expect(() => decodeObject(schema, { at: "1970-01-01T00:00:99Z" })).toThrow(StatusError);
    expect(decodeObject(schema, { at: "1970-01-01T01:00:00+01:00" })["at"]).toBe("1970-01-01T00:00:00Z");
  }
});

test("a frozen set of owned fields is shared, and any other is copied", () => {
  const schema = schemaOf({ set: elided(json("fields")), raw: elided(json()) });
  const [frozen, loose] = [Object.freeze({ "f:a": Object.freeze({}) }), { "f:a": {} }];
  expect(decodeObject(schema, { set: frozen })["set"]).toBe(frozen);
  const read = decodeObject(schema, { set: loose, raw: frozen });
  expect(read).toEqual({ set: loose, raw: frozen });
  expect([read["set"] === loose, Object.isFrozen(read["raw"])]).toEqual([false, false]);
});

describe("names", () => {
  test("unknown fields are dropped, and names are case-sensitive", () => {
    const schema = schemaOf({ data: elided(map(string())) });
    expect(decodeObject(schema, { data: { a: "1" }, Data: { b: "2" }, more: 1, toString: {} })).toEqual({
      data: { a: "1" },
    });
  });

  test("keys that objects inherit are keys like any other in maps", () => {
    const data = JSON.parse('{"__proto__":"a","constructor":"b","prototype":"c","toString":"d"}');
    const read = decodeObject(schemaOf({ data: map(string()) }), { data });
    expect(JSON.stringify(read)).toBe('{"data":{"__proto__":"a","constructor":"b","prototype":"c","toString":"d"}}');
    expect(Object.getPrototypeOf(read["data"])).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });

  test("fields with names that objects inherit are found only if they are set", () => {
    const schema = schemaOf(
      Object.fromEntries(["__proto__", "constructor", "valueOf"].map((name) => [name, optional(string())])),
    );
    // fromEntries sets own properties, so the schema has all three.
    expect([...schema.fields.keys()]).toEqual(["__proto__", "constructor", "valueOf"]);
    expect(decodeObject(schema, {})).toEqual({});
    const given = '{"__proto__":"a","constructor":"b","valueOf":"c"}';
    expect(JSON.stringify(decodeObject(schema, JSON.parse(given)))).toBe(given);
  });

  test("inherited names inside free JSON are unchanged", () => {
    const given = '{"x":{"__proto__":{"polluted":true},"a":[{"__proto__":1}]}}';
    expect(JSON.stringify(decodeObject(schemaOf({ x: json() }), JSON.parse(given)))).toBe(given);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("fields come in the order of their declaration and map keys sorted, whatever the order they came in", () => {
    const schema = schemaOf({ b: string(), a: string(), m: map(string()) });
    expect(JSON.stringify(decodeObject(schema, { m: { z: "1", y: "2" }, a: "a", b: "b" }))).toBe(
      '{"b":"b","a":"a","m":{"y":"2","z":"1"}}',
    );
  });
});

describe("decoding as a whole", () => {
  interface Tree {
    readonly [name: string]: unknown;
  }
  const treeFields = (): Fields => ({
    ...everything,
    meta: elided(ObjectMetaStruct),
    children: elided(list(tree)),
    byName: elided(map(tree)),
    child: optional(tree),
  });
  const tree: Fields[string] = struct("test.v1.Tree", treeFields);
  const schema = tree.schema as StructSchema;

  test("is idempotent for every accepted value", () => {
    const leaf = {
      string: fc.oneof(fc.string(), fc.constant(null)),
      bool: fc.boolean(),
      int32: fc.integer(),
      int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      double: fc.double({ noNaN: true, noDefaultInfinity: true }),
      bytes: fc.base64String(),
      quantity: fc.oneof(fc.constantFrom("1.5Gi", "100m", "0", "1e3", "12Ki"), fc.integer()),
      time: fc.constantFrom("2021-02-03T04:05:06+01:00", "0001-01-01T00:00:00Z", null),
      json: fc.jsonValue({ maxDepth: 2 }),
      list: fc.array(fc.oneof(fc.string(), fc.constant(null))),
      map: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor")), fc.string()),
      struct: fc.record({ name: fc.string(), note: fc.string() }, { requiredKeys: [] }),
      meta: fc.record({ labels: fc.dictionary(fc.string(), fc.string()), finalizers: fc.array(fc.string()) }),
    };
    const grow = (below: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> =>
      fc.record(
        {
          ...leaf,
          children: fc.array(below, { maxLength: 2 }),
          byName: fc.dictionary(fc.string(), below, { maxKeys: 2 }),
          child: fc.option(below),
        },
        { requiredKeys: [] },
      );
    const value = grow(fc.record(leaf, { requiredKeys: [] }));
    fc.assert(
      fc.property(value, (given) => {
        const before = structuredClone(given);
        const once = decodeObject(schema, given);
        expect(given).toEqual(before);
        const print = (object: unknown) =>
          JSON.stringify(object, (_, each) => (typeof each === "bigint" ? `${each}` : each));
        expect(print(decodeObject(schema, once))).toBe(print(once));
      }),
      { numRuns: 100 },
    );
  });

  test("throws nothing but a bad request, for any JSON", () => {
    const keys = fc.constantFrom(...schema.fields.keys(), "name", "labels", "__proto__", "constructor");
    const anything = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom(null, "", 0, 1.5, "1", true, 9223372036854775808n),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(keys, tie("value"), { maxKeys: 6 }),
      ),
    })).value;
    fc.assert(
      fc.property(anything, (given) => {
        try {
          decodeObject(schema, given);
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
          expect((error as StatusError).code).toBe(400);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("refuses a value that is nested too deep instead of overflowing the stack", () => {
    let deep: unknown = {};
    for (let i = 0; i < 200_000; i++) deep = { child: deep };
    expect(() => decodeObject(schema, deep)).toThrow("nested too deeply");
  });

  test("lists and maps together have a limit of members", () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);
    const keys = (count: number) => Object.fromEntries(many(count).map((key) => [key, "v"]));
    expect(decodeObject(schema, { list: many(membersMax) })["list"]).toHaveLength(membersMax);
    const both = { list: many(membersMax / 2), map: keys(membersMax / 2) };
    expect(decodeObject(schema, both)).toMatchObject(both);
    const more = { ...both, list: [...both.list, "one more"] };
    for (const given of [{ list: many(membersMax + 1) }, { map: keys(membersMax + 1) }, more]) {
      expect(() => decodeObject(schema, given)).toThrow(expect.objectContaining({ code: 413 }));
    }
  });

  test("shares nothing with its input", () => {
    const given = { json: { a: { b: 1 } }, list: ["a"], map: { a: "b" } };
    const read = decodeObject(schema, given) as typeof given;
    read.json.a.b = 2;
    read.list.push("b");
    read.map.a = "c";
    expect(given).toEqual({ json: { a: { b: 1 } }, list: ["a"], map: { a: "b" } });
  });
});
