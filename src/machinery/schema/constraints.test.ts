import { describe, expect, test } from "vitest";
import { createCatalog } from "../catalog/bind.ts";
import { forbidden, invalid, problemsFoundMax } from "../status/field-error.ts";
import {
  elided,
  int32,
  int64,
  intOrString,
  list,
  map,
  optional,
  quantity,
  type Static,
  string,
  struct,
} from "./build.ts";
import { checkedWhen, checker, chosenBy, on, onlyOne, type Relation, unchecked } from "./constraints.ts";
import { plainEnvironment } from "./environment.suite.ts";
import { type Kind, kind } from "./kind.ts";
import type { Field } from "./schema.ts";
import { unchanged } from "./unchanged.ts";

const environment = plainEnvironment();
const short = (errors: readonly { reason: string; field: string; message: string }[]) =>
  errors.map(({ reason, field, message }) => `${reason.replace("FieldValue", "")} ${field}: ${message}`);
const problems = (field: Field, value: unknown, relations: readonly Relation[] = []) =>
  short(checker(struct("test.v1.One", { field }), relations)({ field: value }, "spec", environment));

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

describe("a checker", () => {
  const Port = struct("test.v1.Port", {
    name: elided(string()).named("portName"),
    port: int32().required().atLeast(1).atMost(65535),
  });
  const Spec = struct("test.v1.Spec", {
    ports: elided(list(Port)).uniqueBy("name"),
    first: optional(Port),
    second: optional(Port),
  });
  const relation = on(Port, ({ name, port }) =>
    name === "http" && port !== 80 ? [invalid("port", port, "must be 80"), forbidden("", "so")] : [],
  );

  test("checks rules in declared order, then relations, with whole paths", () => {
    const spec = { ports: [{ name: "http", port: 0 }, { name: "http", port: 80 }, { port: 70_000 }] };
    expect(short(checker(Spec, [relation])(spec, "spec", environment)).map((line) => line.split(":")[0])).toEqual([
      "Duplicate spec.ports[1].name",
      "Required spec.ports[0].port",
      "Invalid spec.ports[0].port",
      "Forbidden spec.ports[0]",
      "Invalid spec.ports[2].port",
    ]);
  });

  test("finds nothing in an absent value, and shares the empty result", () => {
    const check = checker(Spec, [relation]);
    expect(check(undefined, "spec", environment)).toBe(check({ ports: [{ port: 1 }] }, "spec", environment));
  });

  test("checks the first of several choices and forbids the others", () => {
    const choice = { members: ["first", ["second", "secnd"]], missing: "must have one", surplus: "only one" } as const;
    const check = checker(Spec, [onlyOne(Spec, choice)]);
    expect(short(check({ first: { port: 0 }, second: { port: 0 } }, "", environment))).toEqual([
      "Required first.port: Required value",
      "Forbidden secnd: Forbidden: only one",
    ]);
    expect(short(check({}, "spec", environment))).toEqual(["Required spec: Required value: must have one"]);
  });

  test("checks the member that another names, and forbids the others", () => {
    const Union = struct("test.v1.Union", {
      kind: string().oneOf(["A", "B", "None"]),
      a: optional(Port),
      b: optional(Port),
    });
    const union = chosenBy(Union, {
      by: "kind",
      members: { a: "A", b: "B" },
      missing: (text) => `needed for ${text}`,
      surplus: (text, own) => `${text} is not ${own}`,
    });
    const found = (value: Static<typeof Union>) => short(checker(Union, [union])(value, "spec", environment)).join("|");
    expect(found({ kind: "A", a: { port: 1 } })).toBe("");
    expect(found({ kind: "A", b: { port: 0 } })).toBe(
      "Required spec.a: Required value: needed for A|Forbidden spec.b: Forbidden: A is not B",
    );
    expect(found({ kind: "None", a: { port: 0 } })).toBe("Forbidden spec.a: Forbidden: None is not A");
    expect(found({ kind: "B", b: { port: 0 } })).toBe("Required spec.b.port: Required value");
    expect(found({ kind: "C", b: { port: 0 } })).toContain("NotSupported spec.kind");
  });

  test("checks members only when their condition holds, absent ones too", () => {
    const Door = struct("test.v1.Door", {
      lock: elided(string()).required().oneOf(["key", "code"]),
      isOpen: elided(string()),
      frame: optional(Port),
    });
    const isShut = ({ isOpen }: { readonly isOpen?: string }) => isOpen === undefined;
    const check = checker(Door, [checkedWhen(Door, ["lock", "frame"], isShut)]);
    const found = (value: Static<typeof Door>) => check(value, "door", environment).map(({ field }) => field);
    expect(found({})).toEqual(["door.lock"]);
    expect(found({ lock: "x", frame: { port: 0 } })).toEqual(["door.lock", "door.frame.port"]);
    expect(found({ lock: "x", frame: { port: 0 }, isOpen: "yes" })).toEqual([]);
    expect(found({ isOpen: "yes" })).toEqual([]);
  });

  test("tells problems in the order of the fields, whichever order an object has them in", () => {
    const value = { first: { port: 0 }, ports: [{ port: 0 }] };
    const fields = checker(Spec)(value, "spec", environment).map(({ field }) => field);
    expect(fields).toEqual(["spec.ports[0].port", "spec.first.port"]);
  });

  test("leaves structs alone that are checked otherwise", () => {
    expect(checker(Spec, [unchecked(Port)])({ ports: [{ port: 0 }] }, "spec", environment)).toEqual([]);
  });

  test("ends the search in a list that has too many problems", () => {
    const ports = Array.from({ length: problemsFoundMax + 10 }, () => ({ port: 0 }));
    expect(checker(Spec)({ ports }, "spec", environment)).toHaveLength(problemsFoundMax);
  });

  test("visits structs that contain themselves", () => {
    const Tree: Field<unknown> = struct("test.v1.Tree", () => ({
      name: string().required(),
      trees: elided(list(Tree)),
    }));
    const errors = checker(Tree)(
      { name: "a", trees: [{ name: "b" }, { name: "", trees: [{ name: "" }] }] },
      "",
      environment,
    );
    expect(errors.map(({ field }) => field)).toEqual(["trees[1].name", "trees[1].trees[0].name"]);
  });
});

test("a field that is set once may still come, and a change may be forbidden for a reason", () => {
  const check = unchanged(
    struct("test.v1.Spec", {
      once: elided(string()).setOnce(),
      never: elided(string()).immutable("may not be updated"),
    }),
  );
  const change = (next: object, old: object) =>
    check(next, old, "spec", "1.21").map(({ field, message }) => `${field}: ${message}`);
  expect(change({ once: "a" }, {})).toEqual([]);
  expect(change({ once: "b" }, { once: "a" })).toEqual(["spec.once: Forbidden: may not be changed once it is set"]);
  expect(change({}, { once: "a" })).toHaveLength(1);
  expect(change({ never: "a" }, {})).toEqual(["spec.never: Forbidden: may not be updated"]);
});

test("immutable fields keep their first value", () => {
  const Inner = struct("test.v1.Inner", {
    fixed: elided(string()).immutable().reported("fxd"),
    free: elided(string()),
  });
  const check = unchanged(
    struct("test.v1.Spec", { inner: optional(Inner), whole: elided(list(string())).immutable() }),
  );
  expect(
    short(check({ inner: { fixed: "b", free: "x" } }, { inner: { fixed: "a" }, whole: ["a"] }, "spec", "1.21")),
  ).toEqual([
    'Invalid spec.inner.fxd: Invalid value: "b": field is immutable',
    "Invalid spec.whole: Invalid value: null: field is immutable",
  ]);
  expect(check({ whole: [] }, {}, "spec", "1.21")).toEqual([]);
});

test("objects of a kind are checked by the rules of its fields, but not of its status", () => {
  const limited = () => elided(int32()).atLeast(0).immutable();
  const Declared = kind({
    group: "",
    version: "v1",
    kind: "Box",
    resource: "boxes",
    scope: "Namespaced",
    doc: "A box.",
    fields: { size: limited(), status: limited() },
    validate: () => [forbidden("lid", "must not be open")],
  });
  const Box = createCatalog([Declared as unknown as Kind], environment).families()[0]!.hub; // of its own object type
  const box = { metadata: {}, size: -1, status: -1 };
  expect(Box.strategy.validate?.(box, environment).map(({ field }) => field)).toEqual(["size", "lid"]);
  const old = { metadata: {}, size: 1 };
  expect(Box.strategy.validateUpdate?.(box, old, environment).map(({ field }) => field)).toEqual([
    "size",
    "size",
    "lid",
  ]);
});
