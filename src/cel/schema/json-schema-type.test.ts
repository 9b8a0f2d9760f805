import { expect, test } from "vitest";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";
import { compile } from "../compile.ts";
import { printValue } from "../values/print.ts";
import { traversalCost } from "../values/traversal.ts";
import { sizeBound } from "./declared-type.ts";
import { schemaType } from "./json-schema-type.ts";

const prefix = "x-orch-";

function declare(schema: object, isResource = false) {
  // The tests write extensions, which the type of schemas does not name.
  return schemaType(schema as JsonSchema, { prefix, isResource, name: "self" });
}

/** The value of a rule, or the first line of its problem. */
function evaluate(schema: object, json: unknown, rule: string, isResource = false): string {
  const declared = declare(schema, isResource);
  if (declared === undefined) return "invisible";
  const { program, problems } = compile(rule, { release: "1.35", variables: new Map([["self", declared.type]]) });
  if (program === undefined) return problems[0]!.message;
  return printValue(program.evaluate({ self: declared.read(json) }).value);
}

const inner = { type: "object", properties: { p: { type: "integer" } } };
const object = {
  type: "object",
  properties: {
    i: { type: "integer" },
    n: { type: "number" },
    t: { type: "string", format: "date-time" },
    d: { type: "string", format: "duration" },
    b: { type: "string", format: "byte" },
    ios: { "x-orch-int-or-string": true },
    nil: { type: "string", nullable: true },
    x: inner,
    y: inner,
    "a.b-c": { type: "string" },
    namespace: { type: "string" },
    in: { type: "string" },
    "x y": { type: "string" },
    unknown: { "x-orch-preserve-unknown-fields": true },
    set: { type: "array", items: { type: "string" }, "x-orch-list-type": "set" },
    keyed: { type: "array", items: inner, "x-orch-list-type": "map", "x-orch-list-map-keys": ["p"] },
    map: { type: "object", additionalProperties: { type: "string" } },
  },
};
const json = {
  i: 5,
  n: 1,
  t: "2024-01-01T00:00:00Z",
  d: "90s",
  b: "aGk=",
  ios: "50%",
  nil: null,
  x: { p: 1 },
  y: { p: 1 },
  "a.b-c": "dots",
  namespace: "ns",
  in: "word",
  unknown: { a: 1 },
  set: ["a", "b"],
  keyed: [{ p: 1 }, { p: 2 }],
  map: { k: "v", __proto__: "no" },
};

const rows: readonly (readonly [why: string, rule: string, value: string])[] = [
  ["an integer is an int", "self.i + 1", "6"],
  ["a number is a double, even where it is whole", "self.n + 0.5", "1.5"],
  ["a date-time is a timestamp", "self.t.getFullYear()", "2024"],
  ["a duration is a duration", "self.d", 'duration("90s")'],
  ["a byte string is bytes", "self.b == b'hi'", "true"],
  ["int-or-string is dynamic", "type(self.ios) == string ? self.ios : 'int'", '"50%"'],
  ["a field that is null is not set", "has(self.nil)", "false"],
  ["a field that is not there is not set", "has(self.map.zz)", "false"],
  ["a field that is null cannot be read", "dyn(self.nil) == null", "error: no such key: nil"],
  [
    "types of objects are nominal",
    "self.x == self.y",
    "found no matching overload for '_==_' applied to '(self.x, self.y)'",
  ],
  ["an object may be compared with null", "self.x == null", "false"],
  ["a number may not", "self.i == null", "found no matching overload for '_==_' applied to '(int, null)'"],
  ["names are escaped", "self.a__dot__b__dash__c", '"dots"'],
  ["a reserved word is a field", "self.namespace + self.__namespace__", '"nsns"'],
  ["a keyword has to be escaped", "self.__in__", '"word"'],
  ["a name that cannot be written is invisible", "has(self.x__dollar__y)", "undefined field 'x__dollar__y'"],
  ["unknown parts are invisible", "has(self.unknown)", "undefined field 'unknown'"],
  ["an undeclared field is a problem", "self.zz", "undefined field 'zz'"],
  ["a set has no order when it is on the left", "self.set == ['b', 'a'] && !(['b', 'a'] == self.set)", "true"],
  ["adding to a set leaves out what it has", "(self.set + ['a', 'c']).size()", "3"],
  ["a list of maps is compared by key", "self.keyed == [self.keyed[1], self.keyed[0]]", "true"],
  ["adding to a list of maps replaces by key", "(self.keyed + [self.keyed[0]]).size()", "2"],
  ["items of one list have one type", "self.keyed[0] == self.keyed[1]", "false"],
  ["a map has its own members only", "'toString' in self.map || 'constructor' in self.map", "false"],
];
for (const [why, rule, value] of rows) test(`${why}: ${rule}`, () => expect(evaluate(object, json, rule)).toBe(value));

test("a whole object whose schema names all that it has may have further metadata", () => {
  const text = { type: "string" } as const;
  const metadata = { type: "object", properties: { name: text, generateName: text, namespace: text } } as const;
  const named = { type: "object", properties: { kind: text, apiVersion: text, metadata } } as const;
  const whole = { apiVersion: "v1", kind: "K", metadata: { name: "n", namespace: "ns" } };
  expect(evaluate(named, whole, "self.metadata.namespace", true)).toBe('"ns"');
  const unnamed = { type: "object", properties: { kind: text, metadata } } as const;
  expect(evaluate(unnamed, whole, "self.metadata.namespace", true)).toBe("undefined field 'namespace'");
});

test("objects are read member by member where a list is searched", () => {
  const members = { a: { type: "string" }, n: { type: "integer" } } as const;
  const items = { type: "object", properties: members } as const;
  const declared = declare({ type: "array", items })!;
  const cost = (...list: object[]) => traversalCost(declared.read(list));
  expect(cost({ a: "short" }, { a: "short" })).toBe(0);
  expect(cost({ a: "x".repeat(30), n: 1 }, { n: 2 })).toBe(3 + 1 + 1);
});

test("a whole object has apiVersion, kind and names, and no other metadata", () => {
  const root = { type: "object", properties: { spec: { type: "object" } } };
  const whole = { apiVersion: "v1", kind: "K", metadata: { name: "n", labels: {} }, spec: {} };
  expect(evaluate(root, whole, "self.kind + self.metadata.name", true)).toBe('"Kn"');
  expect(evaluate(root, whole, "has(self.metadata.labels)", true)).toBe("undefined field 'labels'");
});

test("a schema without a type is invisible", () => {
  expect(evaluate({ "x-orch-preserve-unknown-fields": true }, {}, "true")).toBe("invisible");
  expect(evaluate({ type: "array", items: {} }, [], "true")).toBe("invisible");
});

const bounds: readonly (readonly [why: string, schema: object, sizeMax: number, bytesMin: number])[] = [
  ["a text fits into a request", { type: "string" }, 3 * 1024 * 1024 - 2, 2],
  ["a character may have four bytes", { type: "string", maxLength: 10 }, 40, 2],
  ["values of an enum are as long as they are", { type: "string", enum: ["abc", "é"] }, 3, 2],
  ["a number has no size", { type: "integer" }, 0, 1],
  ["a list of the smallest items", { type: "array", items: { type: "integer" } }, 1_572_863, 2],
  ["a bounded list", { type: "array", items: { type: "integer" }, maxItems: 7 }, 7, 2],
  ["a map of the smallest entries", { type: "object", additionalProperties: { type: "boolean" } }, 314_572, 2],
  [
    "required members make an object larger",
    { type: "object", properties: { ab: { type: "boolean" } }, required: ["ab"] },
    0,
    12,
  ],
];
for (const [why, schema, sizeMax, bytesMin] of bounds) {
  test(`${why}: ${JSON.stringify(schema)}`, () => {
    const { sizeMax: size, bytesMin: bytes } = declare(schema)!;
    expect({ size, bytes }).toEqual({ size: sizeMax, bytes: bytesMin });
  });
}

/** Rules with the estimate that the reference has for them. */
const estimates: readonly (readonly [schema: object, rule: string, max: number])[] = [
  [{ type: "integer" }, "self > 0", 2],
  [{ type: "string", maxLength: 10 }, "self == 'abcdefghijk'", 3],
  [{ type: "string" }, "self.contains('x')", 314_574],
  [{ type: "array", items: { type: "integer" }, maxItems: 100 }, "self.all(x, x > 0)", 502],
  [{ type: "array", items: { type: "integer" }, maxItems: 10 }, "self.map(x, x).size() > 1", 144],
  [
    { type: "object", properties: { a: { type: "object", properties: { b: { type: "integer" } } } } },
    "has(self.a.b)",
    2,
  ],
];
for (const [schema, rule, max] of estimates) {
  test(`${rule} on ${JSON.stringify(schema)} is estimated to cost ${max}`, () => {
    const declared = declare(schema)!;
    const { program } = compile(rule, { release: "1.35", variables: new Map([["self", declared.type]]) });
    expect(program?.estimate(sizeBound(declared)).max).toBe(max);
  });
}
