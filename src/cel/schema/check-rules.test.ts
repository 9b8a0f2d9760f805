import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { finish, type Steps } from "../../base/time-slice.ts";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { newestLevel } from "../../machinery/schema/levels.ts";
import type { FieldErrors } from "../../machinery/status/field-error.ts";
import { definitionRuleCharsMax } from "../limits.ts";
import { checkDefaultRules, validateRules } from "./check-rules.ts";
import { validateRuleMembers } from "./rule-members.ts";

/** The tests write extensions, which the type of schemas does not name. */
function* checkedIn(schema: object): Steps<FieldErrors> {
  const members = yield* validateRuleMembers(schema as JsonSchema, "S", "x-orch-");
  const environment = plainEnvironment({ level: newestLevel });
  const context = { prefix: "x-orch-", environment, schemaErrors: members };
  return [...members, ...(yield* validateRules(schema as JsonSchema, "S", context))];
}

/** Problems of a schema as "reason field", without their sentences. */
function problemsOf(a: object): string[] {
  const errors = finish(checkedIn({ type: "object", properties: { a } }));
  return errors.map(
    ({ reason, field }) => `${reason} ${field.replace("S.properties[a].", "").replace("x-orch-validations", "V")}`,
  );
}

const rules = (...given: readonly object[]) => ({ "x-orch-validations": given });
const number = (rule: object) => ({ type: "integer", "x-orch-validations": [rule] });
const text = (rule: object, more: object = {}) => ({ type: "string", ...more, "x-orch-validations": [rule] });
const pair = (rule: object) => ({
  type: "object",
  properties: {
    x: { type: "integer" },
    m: { type: "object", maxProperties: 3, additionalProperties: { type: "string" } },
  },
  "x-orch-validations": [rule],
});

const rows: readonly (readonly [why: string, schema: object, problems: readonly string[]])[] = [
  ["a rule that compiles", number({ rule: "self > 0" }), []],
  ["a rule that does not", number({ rule: "self >" }), ["FieldValueInvalid V[0].rule"]],
  ["a rule that is not a boolean", number({ rule: "self" }), ["FieldValueInvalid V[0].rule"]],
  ["an empty rule", number({ rule: " " }), ["FieldValueRequired V[0].rule"]],
  ["a blank message", number({ rule: "true", message: " " }), ["FieldValueInvalid V[0].message"]],
  ["a rule of two lines without a message", number({ rule: "self > 0\n&& true" }), ["FieldValueRequired V[0].message"]],
  [
    "a message that is not a text",
    number({ rule: "true", messageExpression: "self" }),
    ["FieldValueInvalid V[0].messageExpression"],
  ],
  [
    "a blank expression of a message",
    number({ rule: "true", messageExpression: " " }),
    ["FieldValueRequired V[0].messageExpression"],
  ],
  ["an unknown reason", number({ rule: "true", reason: "Nope" }), ["FieldValueNotSupported V[0].reason"]],
  ["a path to a field", pair({ rule: "true", fieldPath: ".x" }), []],
  ["a path to an entry of a map", pair({ rule: "true", fieldPath: ".m['a b']" }), []],
  ["a path to nothing", pair({ rule: "true", fieldPath: ".y" }), ["FieldValueInvalid V[0].fieldPath"]],
  [
    "oldSelf that is optional and not used",
    number({ rule: "true", optionalOldSelf: true }),
    ["FieldValueInvalid V[0].optionalOldSelf"],
  ],
  [
    "a transition of an item that cannot be found again",
    { type: "array", maxItems: 3, items: number({ rule: "self > oldSelf" }) },
    ["FieldValueInvalid items.V[0].rule"],
  ],
  [
    "a value without a type",
    { "x-orch-preserve-unknown-fields": true, "x-orch-validations": [{ rule: "true" }] },
    ["InternalError V"],
  ],
  [
    "a rule that costs too much",
    { type: "array", items: text({ rule: "self.contains('x')" }) },
    ["FieldValueForbidden S", "FieldValueForbidden items.V[0].rule"],
  ],
  ["the same with a bound", { type: "array", items: text({ rule: "self.contains('x')" }, { maxLength: 10 }) }, []],
  [
    "a rule that does not compile is not reported beside wrong members",
    pair({ rule: "has(self.y)", fieldPath: ".y", reason: "Nope" }),
    ["FieldValueNotSupported V[0].reason", "FieldValueInvalid V[0].fieldPath"],
  ],
  [
    "the message of an empty rule is not checked",
    number({ rule: " ", message: " " }),
    ["FieldValueRequired V[0].rule"],
  ],
  ["a limit beyond exact numbers", text({ rule: "self.size() > 1" }, { maxLength: 2n ** 53n }), []],
  [
    "a rule within a choice that leads nowhere",
    { type: "object", anyOf: [{ ...rules({ rule: "true", fieldPath: ".x" }) }] },
    ["FieldValueInvalid anyOf[0].V[0].fieldPath"],
  ],
  [
    "a path beside named properties",
    { ...pair({ rule: "true", fieldPath: ".z" }), additionalProperties: true },
    ["FieldValueInvalid V[0].fieldPath"],
  ],
  ["a path to a key", pair({ rule: "true", fieldPath: ".m['z']" }), []],
  ["a path where a keyword is unknown", { ...pair({ rule: "true", fieldPath: ".z" }), id: "x" }, []],
  [
    "a rule of items whose type is not an object",
    { type: "array", "x-orch-list-type": "map", "x-orch-list-map-keys": ["x"], items: number({ rule: "self.z" }) },
    ["FieldValueInvalid items.V[0].rule"],
  ],
  [
    "an empty rule in a list of schemas",
    { type: "array", items: [number({ rule: "" })] },
    ["FieldValueRequired items[0].V[0].rule"],
  ],
  [
    "a rule beside a key that must be required",
    { type: "array", "x-orch-list-type": "map", "x-orch-list-map-keys": ["x"], items: pair({ rule: "self.z" }) },
    ["FieldValueInvalid items.V[0].rule"],
  ],
];
const shown = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
for (const [why, schema, problems] of rows)
  test(`${why}: ${JSON.stringify(schema, shown)}`, () => expect(problemsOf(schema)).toEqual(problems));

describe("defaults", () => {
  const defaults: readonly (readonly [why: string, schema: object, problems: readonly string[]])[] = [
    ["that a rule refuses", { ...number({ rule: "self > 0" }), default: 0 }, ["FieldValueInvalid default"]],
    ["that a rule takes", { ...number({ rule: "self > 0" }), default: 1 }, []],
    [
      "of whose field a rule says something",
      { ...pair({ rule: "false", fieldPath: ".x", reason: "FieldValueForbidden" }), default: {} },
      ["FieldValueForbidden default.x"],
    ],
    [
      "with an item that is refused",
      { type: "array", items: number({ rule: "self > 0" }), default: [1, 0] },
      ["FieldValueInvalid default[1]"],
    ],
    ["of a rule that does not compile", { ...number({ rule: "self.z" }), default: 1 }, ["FieldValueInvalid default"]],
    ["of a rule that is empty", { ...number({ rule: " " }), default: 1 }, []],
    [
      "of rules without a type",
      { "x-orch-preserve-unknown-fields": true, ...rules({ rule: "true" }), default: 1 },
      ["FieldValueInvalid default"],
    ],
    [
      "that are refused where they are new",
      { ...number({ rule: "oldSelf.hasValue()", optionalOldSelf: true }), default: 1 },
      ["FieldValueInvalid default"],
    ],
    ["that stay what they are", { ...number({ rule: "self == oldSelf" }), default: 1 }, []],
    ["that are refused for another reason", { ...number({ rule: "false" }), default: "refused" }, []],
  ];
  for (const [why, a, problems] of defaults)
    test(`${why}: ${JSON.stringify(a)}`, () => {
      const environment = plainEnvironment({ level: newestLevel });
      const schema = { type: "object", properties: { a } } as JsonSchema; // extensions are not part of the type
      const refused = new Set(why.includes("another reason") ? ["S.properties[a]"] : []);
      const errors = finish(checkDefaultRules(schema, "S", { prefix: "x-orch-", environment, refused }));
      expect(errors.map(({ reason, field }) => `${reason} ${field.replace("S.properties[a].", "")}`)).toEqual(problems);
    });
});

describe("rules that are made to take long", () => {
  const small = { type: "string", maxLength: 10 };
  const many = (count: number, rule: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => ({ rule: rule(at) }));
  const leaves = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, small]));
  let deep: object = { type: "object", properties: leaves(20_000) };
  for (let level = 0; level < 50; level++)
    deep = {
      type: "object",
      properties: { n: deep },
      "x-orch-validations": many(10, (at) => `has(self.n) || ${at} > 0`),
    };
  /** As many as fit into a definition take 8 s. */
  const rules = process.env["LONG_TESTS"] === undefined ? 4_000 : 20_000;
  const shapes = {
    "thousands of rules on one value": { ...small, "x-orch-validations": many(rules, (at) => `self != 'x${at}'`) },
    "rules on 20,000 values": {
      type: "object",
      properties: leaves(20_000),
      "x-orch-validations": many(2_000, (at) => `self.p${at} != 'x'`),
    },
    "rules on 50 levels around 20,000 values": deep,
  };

  /** Processor time of one step. On a machine with nothing else to do the longest takes about 20 ms. */
  const stepMsMax = 150;

  for (const [why, a] of Object.entries(shapes))
    test(`are checked in short steps: ${why}`, () => {
      const steps = checkedIn({ type: "object", properties: { a } });
      let longest = 0;
      for (let isDone = false; !isDone; ) {
        const spentMs = measureWork();
        const { done = false, value } = steps.next();
        longest = Math.max(longest, spentMs());
        isDone = done;
        if (done) expect(value).toEqual([]);
      }
      expect(longest).toBeLessThan(stepMsMax);
    });

  test("are refused where all together are too long, with one error", () => {
    const long = many(1_200, (at) => `self != '${"x".repeat(1_000)}${at}'`);
    expect(problemsOf({ ...small, "x-orch-validations": long })).toEqual(["FieldValueForbidden V"]);
    expect(definitionRuleCharsMax).toBe(1_000_000);
  });
});
