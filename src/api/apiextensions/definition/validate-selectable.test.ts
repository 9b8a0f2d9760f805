import { expect, test } from "vitest";
import { finish } from "../../../base/time-slice.ts";
import type { JsonSchema } from "../../../machinery/json/json-schema.ts";
import { selectableFieldsMax, selectableSteps } from "./validate-selectable.ts";

const text = { type: "string" };
const openAPIV3Schema: JsonSchema = {
  type: "object",
  properties: {
    metadata: { type: "object", properties: { name: text } },
    spec: {
      type: "object",
      properties: {
        color: text,
        size: { type: "integer" },
        on: { type: "boolean" },
        weight: { type: "number" },
        any: {},
        list: { type: "array", items: text },
        map: { type: "object", additionalProperties: text },
        ...Object.fromEntries(Array.from({ length: selectableFieldsMax + 1 }, (_, at) => [`f${at}`, text])),
      },
    },
  },
};

/** As "reason field", without sentences. */
const problemsOf = (paths: readonly string[], ...given: readonly [undefined?]) =>
  finish(
    selectableSteps(
      { selectableFields: paths.map((jsonPath) => ({ jsonPath })) },
      given.length === 0 ? { openAPIV3Schema } : undefined,
      "S",
      "x-orch-",
    ),
  ).map(({ reason, field }) => `${reason} ${field}`);

const many = (count: number) => Array.from({ length: count }, (_, at) => `.spec.f${at}`);

const rows: readonly (readonly [why: string, paths: readonly string[], problems: readonly string[]])[] = [
  ["texts, integers and booleans", [".spec.color", ".spec.size", ".spec.on"], []],
  ["the value of a map", [".spec.map.any-key"], []],
  ["as many fields as are allowed", many(selectableFieldsMax), []],
  ["too many fields", many(selectableFieldsMax + 1), ["FieldValueTooMany S.selectableFields"]],
  ["a path without a dot at its beginning", ["spec.color"], ["FieldValueInvalid S.selectableFields[0].jsonPath"]],
  ["a path in brackets", [".spec['color']"], ["FieldValueInvalid S.selectableFields[0].jsonPath"]],
  ["a position in a list", [".spec.list[0]"], ["FieldValueInvalid S.selectableFields[0].jsonPath"]],
  [
    "a field that the schema does not have",
    [".spec.color", ".spec.smell"],
    ["FieldValueInvalid S.selectableFields[1].jsonPath"],
  ],
  ["a field below an untyped one", [".spec.any.x"], ["FieldValueInvalid S.selectableFields[0].jsonPath"]],
  ["a number", [".spec.weight"], ["FieldValueInvalid S.selectableFields[0].jsonPath"]],
  ["an object", [".spec"], ["FieldValueInvalid S.selectableFields[0].jsonPath"]],
  ["a field of metadata", [".metadata.name"], ["FieldValueInvalid S.selectableFields[0].jsonPath"]],
  [
    "an object twice",
    [".spec", ".spec"],
    [
      "FieldValueInvalid S.selectableFields[0].jsonPath",
      "FieldValueInvalid S.selectableFields[1].jsonPath",
      "FieldValueDuplicate S.selectableFields[1].jsonPath",
    ],
  ],
  ["a field twice", [".spec.color", ".spec.color"], ["FieldValueDuplicate S.selectableFields[1].jsonPath"]],
];
for (const [why, paths, problems] of rows)
  test(`${problems.length === 0 ? "accepted" : "refused"}: ${why}`, () => expect(problemsOf(paths)).toEqual(problems));

test("fields are declared beside the schema that has them", () => {
  expect(problemsOf([".spec.color"], undefined)).toEqual(["FieldValueInvalid S.selectableFields"]);
  expect(problemsOf([], undefined)).toEqual([]);
});

test("a schema with a keyword of which nothing is known has no fields to select by", () => {
  const schema: JsonSchema = { ...openAPIV3Schema, definitions: { a: text } };
  const selectableFields = [{ jsonPath: ".spec.color" }];
  const errors = finish(selectableSteps({ selectableFields }, { openAPIV3Schema: schema }, "S", "x-orch-"));
  expect(errors.map(({ field }) => field)).toEqual(["S.schema.openAPIV3Schema"]);
});
