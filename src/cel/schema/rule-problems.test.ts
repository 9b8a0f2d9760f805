import { expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";
import { ruleProblems } from "./rule-problems.ts";
import { ruleTreeSteps } from "./rule-tree.ts";

/** Refusals as "reason field: message". */
function refusals(schema: object, object: unknown, old?: unknown): string[] {
  // The tests write extensions, which the type of schemas does not name.
  const tree = finish(ruleTreeSteps(schema as JsonSchema, { prefix: "x-orch-", release: "1.35" }));
  if (tree === undefined) return ["no rules"];
  return finish(ruleProblems(tree, object, old)).map(({ reason, field, message }) => `${reason} ${field}: ${message}`);
}

const withRules = (schema: object, ...rules: object[]) => ({ ...schema, "x-orch-validations": rules });
const number = { type: "integer" };
const object = (properties: object) => ({ type: "object", properties });

test("a schema without rules has no tree", () => {
  expect(refusals(object({ a: number }), { a: 1 })).toEqual(["no rules"]);
});

test("a refusal has the reason, the field path and the message of its rule", () => {
  const schema = object({
    spec: withRules(object({ min: number, max: number }), {
      rule: "self.min <= self.max",
      fieldPath: ".max",
      reason: "FieldValueForbidden",
      messageExpression: "'max must be ' + string(self.min)",
    }),
  });
  expect(refusals(schema, { spec: { min: 1, max: 2 } })).toEqual([]);
  expect(refusals(schema, { spec: { min: 3, max: 2 } })).toEqual([
    "FieldValueForbidden spec.max: Forbidden: max must be 3",
  ]);
});

test("paths name positions and keys", () => {
  const positive = withRules(number, { rule: "self > 0", message: "no" });
  const schema = object({
    l: { type: "array", items: positive },
    m: { type: "object", additionalProperties: positive },
  });
  expect(refusals(schema, { l: [1, 0], m: { "a/b": 0 } })).toEqual([
    "FieldValueInvalid l[1]: Invalid value: 0: no",
    "FieldValueInvalid m[a/b]: Invalid value: 0: no",
  ]);
});

test("an absent or null value has no rules", () => {
  const schema = object({ a: withRules(number, { rule: "false" }) });
  expect(refusals(schema, {})).toEqual([]);
  expect(refusals(schema, { a: null })).toEqual([]);
});

test("a rule that fails to evaluate is reported at its own place", () => {
  const rule = { rule: "1 / self.a > 0", fieldPath: ".a", reason: "FieldValueForbidden", message: "m" };
  const schema = object({ s: withRules(object({ a: number }), rule) });
  expect(refusals(schema, { s: { a: 0 } })).toEqual([
    'FieldValueInvalid s: Invalid value: "object": division by zero evaluating rule: m',
  ]);
});

test("a message that is blank, has line breaks or fails is replaced", () => {
  const say = (messageExpression: string) =>
    refusals(object({ a: withRules(number, { rule: "false", messageExpression, message: "text" }) }), { a: 0 });
  expect(say("' '")).toEqual(["FieldValueInvalid a: Invalid value: 0: text"]);
  expect(say("'a\\nb'")).toEqual(["FieldValueInvalid a: Invalid value: 0: text"]);
  expect(say("string(1 / self)")).toEqual(["FieldValueInvalid a: Invalid value: 0: text"]);
  expect(say("'said'")).toEqual(["FieldValueInvalid a: Invalid value: 0: said"]);
});

test("a transition rule applies where there was a value before", () => {
  const schema = object({ a: withRules(number, { rule: "self >= oldSelf", message: "no" }) });
  expect(refusals(schema, { a: 1 })).toEqual([]);
  expect(refusals(schema, { a: 1 }, {})).toEqual([]);
  expect(refusals(schema, { a: 1 }, { a: 2 })).toEqual(["FieldValueInvalid a: Invalid value: 1: no"]);
});

test("with an optional oldSelf it applies to new values too", () => {
  const rule = { rule: "self == oldSelf.orValue(0)", optionalOldSelf: true, message: "no" };
  const schema = object({ a: withRules(number, rule) });
  expect(refusals(schema, { a: 1 })).toEqual(["FieldValueInvalid a: Invalid value: 1: no"]);
  expect(refusals(schema, { a: 2 }, { a: 2 })).toEqual([]);
});

test("items of a list of maps are found again by their keys", () => {
  const item = withRules(object({ k: { type: "string" }, v: number }), { rule: "self.v >= oldSelf.v", message: "no" });
  const list = { type: "array", items: item, "x-orch-list-type": "map", "x-orch-list-map-keys": ["k"] };
  const old = { l: [{ k: "a", v: 5 }, { k: "b", v: 1 }] }; // biome-ignore format: one line is easier to read
  expect(refusals(object({ l: list }), { l: [{ k: "b", v: 2 }, { k: "a", v: 4 }, { k: "c", v: 0 }] }, old)).toEqual([
    'FieldValueInvalid l[1]: Invalid value: "object": no',
  ]); // biome-ignore format: one line is easier to read
});

test("a value that has not changed need not meet its rules, unless they are at the root", () => {
  const schema = withRules(object({ a: withRules(number, { rule: "self > 5", message: "a" }), b: number }), {
    rule: "self.b > 5",
    message: "root",
  });
  expect(refusals(schema, { a: 1, b: 1 }, { a: 1, b: 1 })).toEqual([
    'FieldValueInvalid : Invalid value: "object": root',
  ]);
  expect(refusals(schema, { a: 2, b: 6 }, { a: 1, b: 6 })).toEqual(["FieldValueInvalid a: Invalid value: 2: a"]);
});

test("an item that cannot be found again stays with a list that has not changed", () => {
  const item = withRules(object({ v: withRules(number, { rule: "self > 5" }) }), { rule: "self.v > 4" });
  for (const listType of ["atomic", "set", undefined]) {
    const schema = object({ l: { type: "array", items: item, "x-orch-list-type": listType }, b: number });
    expect(refusals(schema, { l: [{ v: 1 }], b: 1 }, { l: [{ v: 1 }], b: 2 })).toEqual([]);
    expect(refusals(schema, { l: [{ v: 1 }, { v: 6 }] }, { l: [{ v: 1 }] })).toEqual([
      'FieldValueInvalid l[0]: Invalid value: "object": failed rule: self.v > 4',
      "FieldValueInvalid l[0].v: Invalid value: 1: failed rule: self > 5",
    ]);
  }
});

test("items are found again by several keys, and a list of them may have another order", () => {
  const item = withRules(object({ a: number, b: { type: "string" }, v: number }), { rule: "self.v > 4" });
  const list = { type: "array", items: item, "x-orch-list-type": "map", "x-orch-list-map-keys": ["a", "b"] };
  const schema = object({ l: withRules(list, { rule: "self.size() < 2", message: "long" }) });
  const old = [
    { a: 1, b: "x", v: 1 },
    { a: 1, b: "y", v: 2 },
  ];
  expect(refusals(schema, { l: old.toReversed() }, { l: old })).toEqual([]);
  expect(refusals(schema, { l: [old[1], { a: 2, b: "x", v: 1 }] }, { l: old })).toEqual([
    'FieldValueInvalid l: Invalid value: "array": long',
    'FieldValueInvalid l[1]: Invalid value: "object": failed rule: self.v > 4',
  ]);
});

test("refusals have the words of their reasons", () => {
  const say = (reason: string | undefined, rule = "false") =>
    refusals(object({ a: withRules({ type: "string" }, { rule, reason, message: "m" }) }), { a: "x" });
  expect(say(undefined)).toEqual(['FieldValueInvalid a: Invalid value: "x": m']);
  expect(say("FieldValueRequired")).toEqual(["FieldValueRequired a: Required value: m"]);
  expect(say("FieldValueForbidden")).toEqual(["FieldValueForbidden a: Forbidden: m"]);
  expect(say("FieldValueDuplicate")).toEqual(['FieldValueDuplicate a: Duplicate value: "x"']);
  expect(say(undefined, "dyn(self) > 1")[0]).toContain("'no such overload': call arguments did not match");
});

test("rules stop when they have cost too much", () => {
  const items = {
    type: "array",
    items: withRules(object({ l: { type: "array", items: number } }), { rule: "self.l.all(x, self.l.all(y, y == 1))" }),
  };
  const large = { l: Array.from({ length: 350 }, () => 1) };
  const problems = refusals(object({ a: items }), { a: Array.from({ length: 40 }, () => large) });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain("running out of cost budget");
});

test("others are served between expensive rules, also of one value", () => {
  const expensive = { rule: "self.all(x, self.all(y, x >= y || true))" };
  const treeOf = (rules: number) => {
    const schema = { type: "array", items: { type: "integer" }, "x-orch-validations": Array(rules).fill(expensive) };
    return finish(ruleTreeSteps(schema as JsonSchema, { prefix: "x-orch-", release: "1.35" }, false))!;
  };
  const count = (rules: number, length: number) => {
    const list = Array.from({ length }, (_, at) => at);
    return [...ruleProblems(treeOf(rules), list, undefined)].length;
  };
  // Each rule costs some 900,000 and is evaluated in steps of 5,000.
  expect(count(2, 400)).toBeGreaterThan(2 * (900_000 / 5_000));
  // Each costs some 6,000 and is not interrupted; after 50,000 others are served.
  expect(count(12, 30)).toBe(1);
});

test("a schema is compiled rule by rule, and each rule in steps", () => {
  const rules = Array.from({ length: 5 }, (_, at) => ({ rule: `self > ${at}` }));
  const schema = { type: "integer", "x-orch-validations": rules };
  const options = { prefix: "x-orch-", release: "1.35" } as const;
  expect([...ruleTreeSteps(schema as JsonSchema, options, false)].length).toBe(5 * 6);
});
