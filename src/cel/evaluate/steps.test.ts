import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { compile } from "../compile.ts";
import type { CelEnvironment } from "../contract.ts";
import { costOfStep, quickCostMax } from "../limits.ts";
import { dyn, int, listOf, string } from "../types/types.ts";
import { jsonValue } from "../values/json.ts";
import { printValue } from "../values/print.ts";
import { EvaluationError } from "../values/values.ts";

const environment: CelEnvironment = {
  release: "1.35",
  variables: new Map([
    ["l", listOf(int)],
    ["s", string],
    ["d", dyn],
  ]),
};
const bindings = {
  l: jsonValue(Array.from({ length: 4_000 }, (_, at) => at)),
  s: "text",
  d: jsonValue({ a: 1, m: { x: 1, y: 2 } }),
};
const programOf = (text: string) => compile(text, environment).program!;

/** Loops that are long enough to be interrupted. */
const yes = "l.all(x, x >= 0)";
const no = "!l.all(x, x >= 0)";
const fails = "l.all(x, 1 / (x - x) > 0)";

describe("an expression is evaluated in steps as it is at once", () => {
  const rows = [
    ["&& needs both", `${yes} && s == 'text'`, "true"],
    ["&& stops at false", `${no} && d.none`, "false"],
    ["&& with a loop on the right", `s == 'text' && ${no}`, "false"],
    ["&& hides an error beside false", `${fails} && ${no}`, "false"],
    ["&& has an error beside true", `${fails} && ${yes}`, "error: division by zero"],
    ["|| stops at true", `${yes} || d.none`, "true"],
    ["|| hides an error beside true", `${fails} || ${yes}`, "true"],
    ["?: takes the first", `${yes} ? s : d.none`, '"text"'],
    ["?: takes the second", `${no} ? d.none : s`, '"text"'],
    ["?: with a loop in the part that is taken", `s == 'text' ? ${yes} : ${no}`, "true"],
    ["?: with an error as its condition", `${fails} ? 1 : 2`, "error: division by zero"],
    ["orValue needs its alternative", `d.?none.orValue(${yes})`, "true"],
    ["orValue does not need it", `d.?a.orValue(${fails})`, "1"],
    ["or needs its alternative", `d.?none.or(optional.of(${yes}))`, "optional.of(true)"],
    ["a list", `[${yes}, ${no}, true]`, "[true, false, true]"],
    ["a list with an error", `[${yes}, ${fails}, ${yes}]`, "error: division by zero"],
    ["a map", `{'a': ${yes}, string(${no}): false}`, '{"a": true, "false": false}'],
    ["a call", `string(${yes}) + string(${no})`, '"truefalse"'],
    ["a field of a map", `{'a': ${yes}}.a`, "true"],
    ["a loop in a loop", `[1, 2].map(y, l.filter(x, x > 0 && x <= y).size())`, "[1, 2]"],
    ["a filter and a transformation", `l.map(x, x % 1000 == 0, x + 1)`, "[1, 1001, 2001, 3001]"],
    ["exists", "l.exists(x, x == 3999)", "true"],
    ["exists_one", "l.exists_one(x, x == 3999)", "true"],
    ["two variables", "l.transformMap(k, v, v % 2000 == 0, v).size()", "2"],
    ["entries", "l.transformMapEntry(k, v, v % 2000 == 0, {string(v): k})", '{"0": 0, "2000": 2000}'],
    ["repeated entries", "l.transformMapEntry(k, v, {'a': k})", "error: insert failed: key a already exists"],
    ["a loop over a map", `d.m.all(k, v, v > 0) && ${yes}`, "true"],
    ["an optional that is mapped", `d.?a.optMap(v, l.all(x, x > -v)).value()`, "true"],
    ["something that is not a list", `d.a.all(x, true) || ${no}`, "error: got 'types.Int', expected iterable type"],
    ["an error in a transformation", "l.map(x, 1 / (x - 3999))", "error: division by zero"],
  ] as const;
  for (const [why, text, value] of rows)
    test(`${why}: ${text} is ${value}`, () => {
      const program = programOf(text);
      const steps = program.evaluateSteps(bindings);
      const isShort = steps.next().done;
      const outcome = isShort ? program.evaluate(bindings) : finish(steps);
      const atOnce = program.evaluate(bindings);
      expect([printValue(outcome.value), outcome.cost]).toEqual([value, atOnce.cost]);
      expect(printValue(atOnce.value)).toBe(value);
      // Those that end before are short in both ways.
      expect(isShort).toBe(atOnce.cost <= quickCostMax);
    });
});

test("a short evaluation is not interrupted, and a long one after some cost", () => {
  const count = (text: string) => [...programOf(text).evaluateSteps(bindings)].length;
  expect(count("d.m.all(k, k != '')")).toBe(0);
  const { cost } = programOf(yes).evaluate(bindings);
  // Before it begins again it is interrupted twice, and then after each step.
  expect(count(yes)).toBe(2 + Math.ceil(cost / costOfStep) - 1 - 1);
});

test("many parts without a loop are evaluated in steps too", () => {
  const text = Array.from({ length: 240 }, (_, at) => `s.replace('e', '${at}').size() > 100 ? 1 : 2`)
    .map((part) => `(${part})`)
    .join(" + ");
  const program = programOf(text);
  const large = { ...bindings, s: "te".repeat(700) };
  expect([...program.evaluateSteps(large)].length).toBeGreaterThan(5);
  expect(finish(program.evaluateSteps(large))).toEqual(program.evaluate(large));
});

test("limits hold in steps as they do at once", () => {
  const program = programOf("l.all(x, l.all(y, x >= 0 || y >= 0))");
  for (const costMax of [100, quickCostMax - 1, quickCostMax + 1, 100_000, undefined]) {
    const outcome = finish(program.evaluateSteps(bindings, costMax));
    expect(outcome).toEqual(program.evaluate(bindings, costMax));
    expect((outcome.value as EvaluationError).isFatal).toBe(true);
  }
});

test("work that costs do not show is limited in steps as well", () => {
  const text = "a".repeat(100_000);
  const program = programOf("l.exists(x, s.size() == 0)");
  const outcome = finish(program.evaluateSteps({ ...bindings, s: text }));
  expect(outcome).toEqual(program.evaluate({ ...bindings, s: text }));
  expect(outcome.value).toBeInstanceOf(EvaluationError);
});
