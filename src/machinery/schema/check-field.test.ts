import { describe, expect, test } from "vitest";
import { elided, int32, int64, intOrString, list, map, optional, quantity, string, struct } from "./build.ts";
import { checker } from "./constraints.ts";
import { plainEnvironment } from "./environment.suite.ts";
import type { Field } from "./schema.ts";

const environment = plainEnvironment();
const short = (errors: readonly { reason: string; field: string; message: string }[]) =>
  errors.map(({ reason, field, message }) => `${reason.replace("FieldValue", "")} ${field}: ${message}`);
const problems = (field: Field, value: unknown) =>
  short(checker(struct("test.v1.One", { field }))({ field: value }, "spec", environment));

describe("a rule", () => {
  const cases: readonly { why: string; field: Field; value?: unknown; expected?: string }[] = [
    {
      why: "required refuses an empty text",
      field: string().required(),
      value: "",
      expected: "Required spec.field: Required value",
    },
    {
      why: "required refuses zero",
      field: int32().required(),
      value: 0,
      expected: "Required spec.field: Required value",
    },
    {
      why: "required refuses an empty list",
      field: elided(list(string())).required("at least one"),
      value: [],
      expected: "Required spec.field: Required value: at least one",
    },
    {
      why: "required refuses an absent pointer",
      field: optional(int32()).required(),
      expected: "Required spec.field: Required value",
    },
    { why: "required accepts a pointer to zero", field: optional(int32()).required(), value: 0 },
    {
      why: "oneOf lists what is supported",
      field: elided(string()).oneOf(["A", "B"]),
      value: "C",
      expected: 'NotSupported spec.field: Unsupported value: "C": supported values: "A", "B"',
    },
    {
      why: "oneOf may have its own words",
      field: elided(string()).oneOf(["A", "B"], "must be A or B"),
      value: "C",
      expected: 'Invalid spec.field: Invalid value: "C": must be A or B',
    },
    { why: "oneOf does not see what is elided", field: elided(string()).oneOf(["A"]), value: "" },
    {
      why: "oneOf sees an empty text that is always there",
      field: string().oneOf(["A"]),
      value: "",
      expected: 'NotSupported spec.field: Unsupported value: "": supported values: "A"',
    },
    {
      why: "oneOf after required does not report twice",
      field: string().required().oneOf(["A"]),
      value: "",
      expected: "Required spec.field: Required value",
    },
    {
      why: "filled refuses an empty text that is given",
      field: optional(string()).filled(),
      value: "",
      expected: "Required spec.field: Required value",
    },
    { why: "filled accepts an absent pointer", field: optional(string()).filled() },
    { why: "orEmpty accepts an empty text", field: optional(string()).oneOf(["A"]).orEmpty(), value: "" },
    {
      why: "atLeast",
      field: optional(int32()).atLeast(0),
      value: -1,
      expected: "Invalid spec.field: Invalid value: -1: must be greater than or equal to 0",
    },
    {
      why: "atMost",
      field: optional(int32()).atMost(9),
      value: 10,
      expected: "Invalid spec.field: Invalid value: 10: must be less than or equal to 9",
    },
    {
      why: "both bounds are one range",
      field: int32().atLeast(1).atMost(9),
      value: 0,
      expected: "Invalid spec.field: Invalid value: 0: must be between 1 and 9, inclusive",
    },
    {
      why: "a bound may have its own words",
      field: int32().atLeast(1, "must be positive"),
      value: 0,
      expected: "Invalid spec.field: Invalid value: 0: must be positive",
    },
    {
      why: "bounds hold for integers beyond 2^53",
      field: int64().atMost(9),
      value: 2n ** 60n,
      expected: 'Invalid spec.field: Invalid value: "1152921504606846976": must be less than or equal to 9',
    },
    {
      why: "bounds hold for quantities",
      field: optional(quantity()).atLeast(1),
      value: "999m",
      expected: 'Invalid spec.field: Invalid value: "999m": must be greater than or equal to 1',
    },
    { why: "a quantity may be as large as its bound", field: optional(quantity()).atMost(1024), value: "1Ki" },
    {
      why: "a quantity may have to be positive",
      field: optional(quantity()).above(0, "must be positive"),
      value: "0",
      expected: 'Invalid spec.field: Invalid value: "0": must be positive',
    },
    {
      why: "above refuses the bound itself",
      field: int32().above(3),
      value: 3,
      expected: "Invalid spec.field: Invalid value: 3: must be greater than 3",
    },
    { why: "above accepts more", field: int32().above(3), value: 4 },
    {
      why: "an item that stands alone has no other beside it",
      field: elided(list(string())).alone("*", "* means all"),
      value: ["a", "*"],
      expected: 'Invalid spec.field: Invalid value: ["a","*"]: * means all',
    },
    {
      why: "an item that stands alone may be the only one",
      field: elided(list(string())).alone("*", "no"),
      value: ["*"],
    },
    {
      why: "uniqueBy may report items",
      field: elided(list(struct("test.v1.Item", { name: string() }))).uniqueBy("name", { isItemReported: true }),
      value: [{ name: "a" }, { name: "a" }],
      expected: 'Duplicate spec.field[1]: Duplicate value: "a"',
    },
    {
      why: "a repetition may be invalid, for a reason",
      field: elided(list(struct("test.v1.Item", { name: string() }))).uniqueBy("name", { text: "must be unique" }),
      value: [{ name: "a" }, { name: "a" }],
      expected: 'Invalid spec.field[1].name: Invalid value: "a": must be unique',
    },
    {
      why: "values that are not valid may be repeated where that is said",
      field: elided(list(struct("test.v1.Item", { name: string().oneOf(["a"]) }))).uniqueBy("name", {
        isOfValid: true,
      }),
      value: [{ name: "b" }, { name: "b" }, { name: "a" }, { name: "a" }],
      expected:
        'Duplicate spec.field[3].name: Duplicate value: "a"|NotSupported spec.field[0].name: Unsupported value: "b": supported values: "a"|NotSupported spec.field[1].name: Unsupported value: "b": supported values: "a"',
    },
    {
      why: "items without the member repeat each other where that is said",
      field: elided(list(struct("test.v1.Item", { name: elided(string()) }))).uniqueBy("name", {
        isAbsentCompared: true,
      }),
      value: [{}, {}],
      expected: 'Duplicate spec.field[1].name: Duplicate value: ""',
    },
    {
      why: "a relative path stays below its folder",
      field: string().named("relativePath"),
      value: "/a/../b",
      expected:
        'Invalid spec.field: Invalid value: "/a/../b": must be a relative path|Invalid spec.field: Invalid value: "/a/../b": must not contain \'..\'',
    },
    {
      why: "a file does not begin with two dots",
      field: string().named("filePath"),
      value: "..data",
      expected: "Invalid spec.field: Invalid value: \"..data\": must not start with '..'",
    },
    { why: "bounds leave texts alone", field: intOrString().atLeast(0), value: "50%" },
    {
      why: "named by a function",
      field: elided(string()).named((text) => [`${text} is wrong`, "indeed"]),
      value: "x",
      expected: 'Invalid spec.field: Invalid value: "x": x is wrong|Invalid spec.field: Invalid value: "x": indeed',
    },
    {
      why: "named checks an elided text that is empty only if it says so",
      field: elided(string()).named("label"),
      value: "",
    },
    {
      why: "max counts bytes",
      field: elided(string()).max(3),
      value: "ää",
      expected: "TooLong spec.field: Too long: must have at most 3 bytes",
    },
    {
      why: "max counts items",
      field: elided(list(int32())).max(1),
      value: [1, 2],
      expected: "TooMany spec.field: Too many: 2: must have at most 1 items",
    },
    {
      why: "unique reports each repetition",
      field: elided(list(string())).unique(),
      value: ["a", "b", "a"],
      expected: 'Duplicate spec.field[2]: Duplicate value: "a"',
    },
    {
      why: "a field may be reported under another name",
      field: elided(string()).oneOf(["A"]).reported("other"),
      value: "B",
      expected: 'NotSupported spec.other: Unsupported value: "B": supported values: "A"',
    },
    {
      why: "items have rules",
      field: elided(list(string().oneOf(["A"]))),
      value: ["A", "B"],
      expected: 'NotSupported spec.field[1]: Unsupported value: "B": supported values: "A"',
    },
    {
      why: "items may be reported as their list",
      field: elided(list(string().oneOf(["A"]).reported(""))),
      value: ["B"],
      expected: 'NotSupported spec.field: Unsupported value: "B": supported values: "A"',
    },
    {
      why: "values of a map have rules",
      field: elided(map(int32().atLeast(0))),
      value: { a: 1, b: -1 },
      expected: "Invalid spec.field[b]: Invalid value: -1: must be greater than or equal to 0",
    },
  ];
  for (const { why, field, value, expected = "" } of cases)
    test(why, () => expect(problems(field, value).join("|")).toBe(expected));

  test("may apply to an empty text that is also reported as required", () => {
    const field = string().required().named("label").evenEmpty();
    expect(problems(field, "").map((line) => line.split(":")[0])).toEqual([
      "Required spec.field",
      "Invalid spec.field",
    ]);
  });
});
