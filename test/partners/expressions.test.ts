import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish } from "../../src/base/time-slice.ts";
import { compile } from "../../src/cel/compile.ts";
import { sizeBound } from "../../src/cel/schema/declared-type.ts";
import { schemaType } from "../../src/cel/schema/json-schema-type.ts";
import { ruleProblems } from "../../src/cel/schema/rule-problems.ts";
import { ruleTreeSteps } from "../../src/cel/schema/rule-tree.ts";
import { dyn, type Type, typeName } from "../../src/cel/types/types.ts";
import { jsonValue } from "../../src/cel/values/json.ts";
import { EvaluationError, type Value } from "../../src/cel/values/values.ts";
import type { JsonSchema } from "../../src/machinery/json/json-schema.ts";
import { differences, questions } from "./compare.ts";
import { expressions } from "./expressions.suite.ts";
import { conformanceTests, openPartner, type Partner, whyNoPartners } from "./partner.ts";
import { canonical, type Theirs } from "./values.suite.ts";

const version = "1.35";

/** Maps have one entry each: the reference reads larger ones in no particular order. */
const variables = {
  i: 5,
  d: 2.5,
  s: "a text",
  e: "",
  b: true,
  n: null,
  l: [3, 1, 2],
  t: ["b", "a"],
  m: { a: 1 },
  o: { p: { q: [{ r: null }] } },
};

/** The same names with types, below `self`. */
const schema = {
  type: "object",
  properties: {
    i: { type: "integer" },
    d: { type: "number" },
    s: { type: "string", maxLength: 20 },
    e: { type: "string" },
    b: { type: "boolean" },
    n: { type: "string", nullable: true },
    l: { type: "array", items: { type: "integer" }, maxItems: 10 },
    t: { type: "array", items: { type: "string", maxLength: 5 }, "x-kubernetes-list-type": "set" },
    m: { type: "object", additionalProperties: { type: "integer" } },
    o: {
      type: "object",
      properties: {
        p: {
          type: "object",
          properties: {
            q: {
              type: "array",
              maxItems: 3,
              items: { type: "object", properties: { r: { type: "string", nullable: true } } },
            },
          },
        },
      },
    },
  },
} as const;

interface Question {
  readonly kind: "expression" | "rules";
  readonly version: typeof version;
  readonly expression?: string;
  readonly variables?: object;
  readonly schema?: object;
  readonly self?: object;
  readonly oldSelf?: object;
}

/** Messages in expressions are refused (docs/differences.md); a map of several entries is read in no particular order. */
const isLeftOut = (expression: string): boolean =>
  /google\.protobuf\.\w+ *\{|\{[^{}]+:[^{}]+,[^{}]+:[^{}]+\}\.(all|exists|transform)/.test(expression) ||
  // Its cost is 33 there.
  expression === "has({'foo': optional.none()}.foo.bar)";

interface ConformanceCase {
  readonly expression: string;
  readonly variables: object | null;
}

describe.skipIf(whyNoPartners !== undefined)(
  `expressions as the reference evaluates them ${whyNoPartners ?? ""}`,
  () => {
    it("has the same outcome, type and cost where types are not known", { timeout: 600_000 }, async () => {
      await using partner = openPartner("expressions");
      const asked = questions(expressions(Object.keys(variables)), 3_000).map(
        (expression): Question => ({ kind: "expression", version, expression, variables }),
      );
      expect(await comparison(partner, asked)).toEqual([]);
    });

    it("has the same outcome, type, estimate and cost where a schema gives types", { timeout: 600_000 }, async () => {
      await using partner = openPartner("expressions");
      const names = Object.keys(variables).map((name) => `self.${name}`);
      const asked = questions(expressions(names), 3_000).map(
        (expression): Question => ({ kind: "expression", version, expression, schema, self: variables }),
      );
      expect(await comparison(partner, asked)).toEqual([]);
    });

    it("has the same outcome, type, estimate and cost for the cases of the language itself", {
      timeout: 600_000,
    }, async () => {
      await using cases = openPartner("conformance");
      await using partner = openPartner("expressions");
      const files = readdirSync(conformanceTests).filter((name) => name.endsWith(".textproto"));
      const found = await cases.ask<readonly ConformanceCase[]>(files.map((name) => join(conformanceTests, name)));
      const asked = found
        .flat()
        .flatMap(({ expression, variables }): Question[] =>
          variables === null || isLeftOut(expression) ? [] : [{ kind: "expression", version, expression, variables }],
        );
      expect(asked.length).toBeGreaterThan(1_000);
      expect(await comparison(partner, asked)).toEqual([]);
    });

    it("refuses the same expressions that are deep", { timeout: 600_000 }, async () => {
      await using partner = openPartner("expressions");
      const asked = questions(deep, 500).map((expression): Question => ({ kind: "expression", version, expression }));
      expect(await comparison(partner, asked)).toEqual([]);
    });

    it("refuses the same objects with the same words by rules", { timeout: 600_000 }, async () => {
      await using partner = openPartner("expressions");
      const asked = questions(ruled, 1_000);
      expect(await comparison(partner, asked)).toEqual([]);
    });
  },
);

/** Numbers within each other, about as deep as an expression may be. */
const deep: fc.Arbitrary<string> = fc
  .array(
    fc.record({
      around: fc.constantFrom<readonly [string, string]>(
        ["(", ")"],
        ["(", ") + 1"],
        ["", " + 1"],
        ["1 + (", ")"],
        ["1 * (", ")"],
        ["1 + 2 - 2 * (", ")"],
        ["int(", ")"],
        ["-(", ")"],
        ["[", "][0]"],
        ["{1: ", "}[1]"],
        ["[", "].max()"],
        ["true ? ", " : 1"],
        ["1 == (", ") ? 1 : 2"],
        ["(true && 1 == (", ") ? 1 : 2)"],
        ["true ? 1 : ", ""],
      ),
      times: fc.integer({ min: 1, max: 130 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) =>
    parts.reduce(
      (inner, { around: [open, close], times }) => `${open.repeat(times)}${inner}${close.repeat(times)}`,
      "1",
    ),
  );

const rule = (...expressions: readonly string[]) => fc.constantFrom(...expressions);
const value = fc.record({ k: fc.constantFrom("a", "b"), v: fc.integer({ min: 0, max: 3 }) }, { requiredKeys: ["k"] });

/** Schemas with a rule at each level, and an object before and after. */
const ruled: fc.Arbitrary<Question> = fc
  .record({
    item: rule("self.v > 1", "has(self.v)", "self.v + 1 > 2", "self.k != 'a'"),
    scalar: rule("self > 1", "self != oldSelf", "self >= oldSelf || self > 2", "1 / self > 0"),
    list: rule("self.size() < 2", "self.all(x, has(x.v))", "self[0].v > 0"),
    reason: fc.constantFrom(undefined, "FieldValueInvalid", "FieldValueRequired", "FieldValueForbidden"),
    message: fc.constantFrom(undefined, "a message"),
    listType: fc.constantFrom(undefined, "atomic", "map"),
    lists: fc.tuple(
      fc.uniqueArray(value, { maxLength: 2, selector: ({ k }) => k }),
      fc.uniqueArray(value, { maxLength: 2, selector: ({ k }) => k }),
    ),
    isUpdate: fc.boolean(),
  })
  .map(({ item, scalar, list, reason, message, listType, lists: [now, before], isUpdate }) => {
    const validations = (text: string) => ({
      "x-kubernetes-validations": [{ rule: text, ...(reason && { reason }), ...(message && { message }) }],
    });
    const keys = listType === "map" ? { "x-kubernetes-list-map-keys": ["k"] } : {};
    const found = listType === "map" || !scalar.includes("oldSelf") ? scalar : "self > 0";
    const items = {
      type: "object",
      required: ["k"],
      properties: { k: { type: "string" }, v: { type: "integer", ...validations(found) } },
      ...validations(item),
    };
    const l = { type: "array", items, ...(listType && { "x-kubernetes-list-type": listType }), ...keys };
    const ruledSchema = { type: "object", properties: { l: { ...l, ...validations(list) } } };
    return {
      kind: "rules",
      version,
      schema: ruledSchema,
      self: { l: now },
      ...(isUpdate ? { oldSelf: { l: before } } : {}),
    };
  });

/** Questions at which the reference itself broke down are left out. */
async function comparison(partner: Partner, asked: readonly Question[]) {
  const answers = await partner.ask<Theirs>(asked);
  const usable = (_: unknown, at: number) => answers[at]!.unusable === undefined;
  const kept = answers.filter(usable).map(canonical.theirs);
  return differences({ ...partner, ask: async <T>() => kept as T[] }, asked.filter(usable), answer);
}

function answer(question: Question): unknown {
  return question.kind === "rules" ? ruleAnswer(question) : expressionAnswer(question);
}

function ruleAnswer({ schema: given, self, oldSelf }: Question): unknown {
  const options = { prefix: "x-kubernetes-", release: version } as const;
  const tree = finish(ruleTreeSteps(given as JsonSchema, options))!;
  const problems = finish(ruleProblems(tree, self, oldSelf));
  return { errors: problems.map(({ field, message }) => canonical.error(`${field || "<nil>"}: ${message}`)).sort() };
}

function expressionAnswer({ expression, variables: dynamic, schema: given, self }: Question): unknown {
  const types = new Map<string, Type>(Object.keys(dynamic ?? {}).map((name) => [name, dyn]));
  const bindings: Record<string, Value> = {};
  for (const [name, json] of Object.entries(dynamic ?? {})) bindings[name] = jsonValue(json);
  const declared =
    given && schemaType(given as JsonSchema, { prefix: "x-kubernetes-", isResource: false, name: "selfType" });
  if (declared !== undefined) {
    types.set("self", declared.type).set("oldSelf", declared.type);
    bindings["self"] = declared.read(self);
  }
  const { program } = compile(expression!, { release: version, variables: types });
  if (program === undefined) return { refused: true };
  const estimate = program.estimate(declared === undefined ? () => undefined : sizeBound(declared));
  const { value: found, cost } = program.evaluate(bindings);
  const failed = found instanceof EvaluationError;
  return {
    type: canonical.type(typeName(program.type)),
    estimate: [canonical.count(estimate.min), canonical.count(estimate.max)],
    ...(failed ? { failed, value: null } : { value: canonical.ours(found) }),
    ...(failed && found.isFatal ? {} : { cost: String(cost) }),
  };
}
