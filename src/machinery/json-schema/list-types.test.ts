import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../json/json-schema.ts";
import { repeatedItems } from "./list-types.ts";
import { SchemaPlan } from "./plan.ts";

const set = { type: "array", "x-orch-list-type": "set" };
const map = { type: "array", "x-orch-list-type": "map" };

function repeated(list: object, value: unknown): string[] {
  const schema = { type: "object", properties: { l: list } } as JsonSchema;
  return repeatedItems(new SchemaPlan(schema, "x-orch-"), { l: value }, "").map(
    ({ reason, field }) => `${reason} ${field}`,
  );
}

describe("duplicate items", () => {
  const strings = { ...set, items: { type: "string" } };
  const keyed = {
    ...map,
    "x-orch-list-map-keys": ["k"],
    items: { type: "object", properties: { k: { type: "string" } } },
  };
  const cases: { why: string; list: object; value: unknown; problems: string[] }[] = [
    { why: "of a set", list: strings, value: ["a", "b", "a"], problems: ["FieldValueDuplicate l[2]"] },
    { why: "are reported once each", list: strings, value: ["a", "a", "a"], problems: ["FieldValueDuplicate l[1]"] },
    { why: "of a plain list are allowed", list: { type: "array" }, value: ["a", "a"], problems: [] },
    { why: "of different types are not duplicates", list: set, value: [1, "1", true, "true"], problems: [] },
    {
      why: "are equal regardless of the order of their members",
      list: set,
      value: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      problems: ["FieldValueDuplicate l[1]"],
    },
    {
      why: "of a map have the same keys",
      list: keyed,
      value: [{ k: "a", v: 1 }, { k: "b" }, { k: "a", v: 2 }],
      problems: ["FieldValueDuplicate l[2]"],
    },
    { why: "of a map may both lack their key", list: keyed, value: [{}, {}], problems: ["FieldValueDuplicate l[1]"] },
    { why: "of a map must be objects", list: keyed, value: ["a"], problems: ["FieldValueInvalid l[0]"] },
    {
      why: "inside items",
      list: { type: "array", items: strings },
      value: [["a"], ["b", "b"]],
      problems: ["FieldValueDuplicate l[1][1]"],
    },
    {
      why: "inside maps",
      list: { type: "object", additionalProperties: strings },
      value: { x: ["b", "b"] },
      problems: ["FieldValueDuplicate l[x][1]"],
    },
  ];
  for (const { why, list, value, problems } of cases) test(why, () => expect(repeated(list, value)).toEqual(problems));
});
