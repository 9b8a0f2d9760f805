import { expect, test } from "vitest";
import type { JsonSchema } from "../json/json-schema.ts";
import { SchemaPlan } from "./plan.ts";
import { validateValue } from "./value.ts";

const integer = { type: "integer" };
const bounded = { type: "integer", minimum: 5 };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const keyed = (keys: readonly string[], items: object, more: object = {}) => ({
  type: "array",
  "x-orch-list-type": "map",
  "x-orch-list-map-keys": keys,
  items,
  ...more,
});

const problems = (schema: object, old: unknown, value: unknown, path = "v") =>
  validateValue(
    new SchemaPlan(schema as JsonSchema, "x-orch-"),
    value,
    path,
    { left: 1_000, has: () => true },
    old,
  ).map(({ field }) => field);

const cases = [
  {
    why: "a list with keys may be as long as it was, in another order",
    schema: keyed(["a"], object({ a: integer }), { maxItems: 1 }),
    old: [{ a: 1 }, { a: 2 }],
    value: [{ a: 2 }, { a: 1 }],
    expected: [],
  },
  {
    why: "another list may not",
    schema: { type: "array", items: object({ a: integer }), maxItems: 1 },
    old: [{ a: 1 }, { a: 2 }],
    value: [{ a: 2 }, { a: 1 }],
    expected: ["v"],
  },
  {
    why: "an item is found by all of its keys, in lists of lists too",
    schema: keyed(["a"], object({ a: integer, l: keyed(["b", "c"], object({ b: integer, c: integer, n: bounded })) })),
    old: [{ a: 1, l: [{ b: 1, c: 1, n: 1 }] }, { a: 2 }],
    value: [
      { a: 2 },
      {
        a: 1,
        l: [
          { b: 1, c: 2, n: 1 },
          { b: 1, c: 1, n: 1 },
        ],
      },
    ],
    expected: ["v[1].l[0].n"],
  },
  {
    why: "a number is another key than its text, and an item without a key is found nowhere",
    schema: keyed(["a"], object({ a: { "x-orch-int-or-string": true }, n: bounded })),
    old: [{ a: "1", n: 1 }, { n: 1 }],
    value: [{ a: 1, n: 1 }, { n: 1 }],
    expected: ["v[0].n", "v[1].n"],
  },
  {
    why: "of items with the same keys, the first counts",
    schema: keyed(["a"], object({ a: integer, n: bounded })),
    old: [
      { a: 1, n: 1 },
      { a: 1, n: 2 },
    ],
    value: [{ a: 1, n: 1 }, { a: 3 }],
    expected: [],
  },
  {
    why: "an object with members that nothing describes counts as changed",
    schema: object({}, { minProperties: 2, "x-orch-preserve-unknown-fields": true }),
    old: { a: 1 },
    value: { a: 1 },
    expected: ["v"],
  },
  {
    why: "what has not changed is a problem of an alternative all the same, once something beside it changed",
    schema: object({ a: object({ x: integer }), b: integer }, { anyOf: [{ properties: { a: { minProperties: 2 } } }] }),
    old: { a: { x: 1 }, b: 1 },
    value: { a: { x: 1 }, b: 2 },
    expected: ["v", "v.a"],
  },
];

test.each(cases)("$why", ({ schema, old, value, expected }) => {
  expect(problems(schema, old, value)).toEqual(expected);
});

test("the version and the kind of a whole object are always checked", () => {
  const schema = object({ apiVersion: { type: "string", maxLength: 1 }, a: { type: "string", maxLength: 1 } });
  const value = { apiVersion: "v1", a: "ab", b: 1 };
  expect(problems(schema, value, value, "")).toEqual(["apiVersion"]);
});
