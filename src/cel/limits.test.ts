import { describe, expect, test, vi } from "vitest";
import { compile, compileSteps } from "./compile.ts";
import type { CelEnvironment } from "./contract.ts";
import { Frame } from "./evaluate/frame.ts";
import {
  callItemsMax,
  costOfStep,
  expressionCharsMax,
  expressionPatternStepsMax,
  nestingMax,
  quickCostMax,
  tokensOfStep,
  treeDepthMax,
  treeNodesMax,
  typePartsMax,
} from "./limits.ts";
import { dyn, int, listOf, mapOf, string } from "./types/types.ts";
import { jsonValue } from "./values/json.ts";
import { EvaluationError, type Value } from "./values/values.ts";

const environment: CelEnvironment = {
  release: "1.35",
  variables: new Map([
    ["d", dyn],
    ["s", string],
    ["l", listOf(int)],
    ["t", listOf(string)],
    ["m", mapOf(string, int)],
  ]),
};

const problemOf = (text: string): string | undefined => compile(text, environment).problems?.[0]?.message;

test("a text that is too long, too deep or too large is refused", () => {
  expect(problemOf(`'${"a".repeat(expressionCharsMax)}'`)).toContain(`at most ${expressionCharsMax} characters`);
  expect(problemOf("(".repeat(nestingMax + 1))).toContain(`nested at most ${nestingMax} times`);
  expect(problemOf(`${"!f(".repeat(200)}1${")[0]".repeat(200)}`)).toContain(`at most ${treeDepthMax} levels`);
  expect(problemOf(`[${"s,".repeat(treeNodesMax)}s]`)).toContain(`at most ${treeNodesMax} parts`);
});

test("a chain of one kind of operators is as long as the reference reads", () => {
  const refusal = `at most ${nestingMax} operators within each other`;
  for (const operator of ["== true", "+ 1", "* 1", ".a", "[0]"]) {
    const first = operator === "== true" ? "true" : operator.endsWith("1") ? "1" : "d";
    expect(problemOf(first + ` ${operator}`.repeat(nestingMax))).toBeUndefined();
    expect(problemOf(first + ` ${operator}`.repeat(nestingMax + 1))).toContain(refusal);
  }
});

test("operators within each other are counted together, as the reference counts them", () => {
  const refused = (text: string) => /at most 250 \w+ within each other/.test(problemOf(text) ?? "");
  const nested = (open: string, close: string, count: number) => `${open.repeat(count)}1${close.repeat(count)}`;
  expect(refused(`(d${".a".repeat(125)})${"[0]".repeat(125)}`)).toBe(false);
  expect(refused(`(d${".a".repeat(125)})${"[0]".repeat(126)}`)).toBe(true);
  expect(refused(`(1${" + 1".repeat(150)}) * 1${" * 1".repeat(100)}`)).toBe(true);
  expect(refused(`[1${" + 1".repeat(150)}, 1${" + 1".repeat(150)}]`)).toBe(false);
  // What is right of an operator begins in two calculations or comparisons.
  expect(refused(nested("1 + (", ")", 124))).toBe(false);
  expect(refused(nested("1 + (", ")", 125))).toBe(true);
  expect(refused(nested("1 + 1 * (", ")", 83))).toBe(false);
  expect(refused(nested("1 + 1 * (", ")", 84))).toBe(true);
  expect(refused(nested("1 == (", ")", 124))).toBe(false);
  expect(refused(nested("1 == (", ")", 125))).toBe(true);
});

test("patterns that are too large together are refused before one of them is compiled", () => {
  const patterns = (count: number) =>
    Array.from({ length: count }, (_, at) => `s.matches('${"[a-z]{1,90}".repeat(10)}${at}')`).join(" || ");
  expect(problemOf(patterns(4))).toBeUndefined();
  expect(problemOf(patterns(300))).toContain(`at most ${expressionPatternStepsMax} steps`);
});

test("a type that grows with each loop is refused before it takes long", () => {
  const maps = (count: number) =>
    `[1]${Array.from({ length: count }, (_, at) => `.map(a${at}, {a${at}: a${at}})`).join("")}.size() > 0`;
  expect(problemOf(maps(7))).toBeUndefined();
  expect(problemOf(maps(100))).toContain(`at most ${typePartsMax} parts`);
});

test("a long chain of && compiles", () => {
  expect(problemOf(Array.from({ length: 2_000 }, () => "true").join(" && "))).toBeUndefined();
});

test("an expression is read, parsed, checked and planned in steps of their own, so that no turn is long", () => {
  const text = Array.from({ length: 1_200 }, (_, at) => `s.startsWith('x${at}')`).join(" || ");
  const steps = compileSteps(text, environment);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(step.value.program?.type.kind).toBe("bool");
  const tokens = 1_200 * 7 - 1;
  // Each of 1,200 calls and of the operators between them is a call.
  expect(count).toBe(Math.floor(tokens / tokensOfStep) + Math.floor(2_399 / 200) + 5);
});

test("the cost of an evaluation is limited, and no operator hides that", () => {
  const { program } = compile("l.all(x, l.all(y, x == y)) || true", environment);
  const { value, cost } = program!.evaluate({ l: jsonValue(Array.from({ length: 1_000 }, () => 1)) }, 1_000);
  expect(value).toBeInstanceOf(EvaluationError);
  expect((value as EvaluationError).isFatal).toBe(true);
  expect(cost).toBeLessThan(1_010);
});

const large = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]));

/** Values as large as a request allows. */
const bindings: Record<string, Value> = {
  s: "a".repeat(1_500_000),
  l: jsonValue(Array.from({ length: 100_000 }, (_, at) => at)),
  t: jsonValue(Array.from({ length: 3_000 }, (_, at) => "x".repeat(1_000) + at)),
  m: jsonValue(large),
  d: jsonValue({ m: large, l: [{ m: large }, { m: large }] }),
};

/**
 * The most units of cost and work that one step of an evaluation counts. A unit takes at most a microsecond, which `library/work.test.ts`
 * measures for each function.
 */
function largestStep(text: string): number {
  let units = 0;
  const count = (method: "charge" | "work") => {
    const original = Frame.prototype[method];
    return vi.spyOn(Frame.prototype, method).mockImplementation(function (this: Frame, more) {
      const over = original.call(this, more);
      // What is refused is not done.
      if (over === undefined) units += more;
      return over;
    });
  };
  const counters = [count("charge"), count("work")];
  try {
    const steps = compile(text, environment).program!.evaluateSteps(bindings);
    for (let largest = 0, count = 1; ; units = 0, count++) {
      const step = steps.next();
      largest = Math.max(largest, units);
      if (!step.done && count < stepsMax) continue;
      if (!step.done) return largest;
      const { value } = step.value;
      expect(typeof value === "boolean" || value instanceof EvaluationError).toBe(true);
      return largest;
    }
  } finally {
    for (const counter of counters) counter.mockRestore();
  }
}

/** The steps of a loop are alike. The long form goes on to the end of each expression. */
const stepsMax = process.env["LONG_TESTS"] === undefined ? 12 : Number.POSITIVE_INFINITY;

/** Steps end when so much is counted, and the first one is the try without interruptions. */
const shortStepMax = quickCostMax + costOfStep;

describe("a hostile expression costs its sender, not the server: no step of its evaluation counts much", () => {
  const hostile = [
    "l.all(x, l.all(y, x == y || true))",
    "l.all(x, 1 / 0 > x || true)",
    "l.all(x, l + l == l || true)",
    "l.sort() == l",
    "l.distinct() == l",
    "t.distinct().size() > 0",
    "sets.contains(l, l)",
    "lists.range(100000000).size() > 0",
    "'%s'.format([m]) != ''",
    "l.map(x, {x: x}).size() > 0",
    "l.all(x, timestamp('2024-01-01T00:00:00Z').getHours('Europe/Paris') > 0)",
    "l.all(x, timestamp(string(timestamp(x))) == timestamp(x))",
    "l.all(x, url('http://a/' + string(x)).getHost() == 'a')",
    "l.all(x, quantity(string(x)).isInteger())",
    "l.all(x, string(ip('fe80::' + string(x % 250))) != '')",
    "l.all(x, m.size() > 0)",
    "l.all(x, m.exists(k, true))",
    "l.all(x, d.m.size() > 0)",
    "l.all(x, l.slice(0, 1).size() == 1)",
    "l.all(x, [l, l] == [l, l + []])",
  ];
  for (const text of hostile)
    test(text, { timeout: 60_000 }, () => expect(largestStep(text)).toBeLessThanOrEqual(shortStepMax));
});

describe("nor does one call, which cannot be interrupted", () => {
  const hostile: readonly [text: string, unitsMax: number][] = [
    ["l.all(x, s.size() > 0)", 94_000],
    ["l.all(x, s == s + 'a' || true)", 310_000],
    ["l.all(x, x in l)", 210_000],
    ["l.exists(x, s.matches('(a+)+b'))", 310_000],
    ["s.matches('(a*)*b')", 310_000],
    ["l.exists(x, 'a'.matches('(b{9}c{9}){9}' + string(x)))", 37_000],
    ["s.findAll('a').size() > 0", 1_200_000],
    ["l.all(x, s.charAt(3) == 'a')", 94_000],
    ["l.sum() > 0", 210_000],
    ["l.reverse().size() > 0", 210_000],
    ["s.split('').size() > 0", 300_000],
    ["s.replace('', s).size() > 0", 300_000],
    ["s.replace('', 'b').size() > 0", 300_000],
    ["s.replace('a', s).size() > 0", 1_300_000],
    ["lists.range(900000).all(x, x >= 0)", 910_000],
    ["'%s'.format([l]) != ''", 1_100_000],
    ["l.all(x, '%s'.format([s]).size() > 0)", 190_000],
    ["l.all(x, d.l[x % 2].m.size() > 0)", 210_000],
    ["l.all(x, d.l[x % 2].m.exists(k, true))", 210_000],
    ["l.all(x, [l, l].flatten().size() > 0)", 210_000],
  ];
  for (const [text, unitsMax] of hostile)
    test(text, { timeout: 60_000 }, () => expect(largestStep(text)).toBeLessThanOrEqual(unitsMax));
});

test("one call reads a limited number of items, since it cannot be interrupted", () => {
  const sum = (length: number) => {
    const l = jsonValue(Array.from({ length }, () => 1));
    return compile("l.sum()", environment).program!.evaluate({ l }).value;
  };
  expect(sum(callItemsMax)).toBe(BigInt(callItemsMax));
  expect(sum(callItemsMax + 1)).toMatchObject({ isFatal: true });
});
