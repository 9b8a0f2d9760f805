import { createRequire } from "node:module";
import fc from "fast-check";
import type { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { finish } from "../../base/time-slice.ts";
import type { JsonSchema } from "../json/json-schema.ts";
import { checkPatterns } from "./check-patterns.ts";
import {
  keptPatternStepsMax,
  matchesPattern,
  patternCharsMax,
  patternProblem,
  patternStepsMax,
  patternWorkMax,
  schemaPatternStepsMax,
} from "./pattern.ts";

const engine = (createRequire(import.meta.url)("re2js") as { RE2JS: typeof RE2JS }).RE2JS;

test("patterns with catastrophic backtracking in other engines take time in proportion to the text (N11 in docs/security-rows.md)", () => {
  const patterns = ["^(a+)+$", "(a|aa)+$", "(.*a){25}", "^[ab]*a[ab]{900}$"];
  for (const pattern of patterns) matchesPattern(pattern, "a"); // compiled
  const spentMs = measureWork();
  for (const pattern of patterns) {
    matchesPattern(pattern, `${"a".repeat(30)}!`);
    matchesPattern(pattern, `${"ab".repeat(500_000)}!`);
  }
  // Without a bound the last one alone takes half a minute.
  expect(spentMs()).toBeLessThan(5_000);
});

test("a text that would cost too much to search does not match", () => {
  const size = engine.compile("^a+$").programSize();
  const fits = Math.floor(patternWorkMax / size);
  expect([matchesPattern("^a+$", "a".repeat(fits)), matchesPattern("^a+$", "a".repeat(fits + 1))]).toEqual([
    true,
    false,
  ]);
});

test("an invalid pattern matches nothing and says why", () => {
  for (const text of ["(", "[a-z", "^(?!x)", "(a)\\1", "a{5000}"]) {
    expect(patternProblem(text), text).toBeTruthy();
    expect(matchesPattern(text, text), text).toBe(false);
  }
  expect(patternProblem("^a$")).toBeUndefined();
});

test("a pattern matches anywhere in a text", () => {
  const patterns = ["a", "^a", "a$", "^a*$", "[^a]b", "(ab)+", "a.b", "\\bx", "(?i)AB", "é", "^$", ""];
  fc.assert(
    fc.property(
      fc.constantFrom(...patterns),
      fc.string({ unit: fc.constantFrom("a", "b", "x", " ", "é", "😀", "\n") }),
      (pattern, text) => {
        expect(matchesPattern(pattern, text)).toBe(engine.compile(pattern).matcher(text).find());
      },
    ),
    { numRuns: 500 },
  );
});

test("a pattern may have ten kilobytes, and no more than the limit", () => {
  const long = "[a-z]+(foo|bar)?".repeat(640);
  expect(long.length).toBe(10_240);
  expect(patternProblem(long)).toBeUndefined();
  expect(patternProblem("a".repeat(patternCharsMax))).toBeUndefined();
  expect(patternProblem("a".repeat(patternCharsMax + 1))).toContain(String(patternCharsMax));
});

test("a repeated part counts as often as it is repeated", () => {
  expect(patternProblem("(a{100}){10}".repeat(15))).toBeUndefined();
  const spentMs = measureWork();
  for (const pattern of ["x{1000}".repeat(200), "(a|b|c){300}".repeat(100), "\\pL{1000}".repeat(50)])
    expect(patternProblem(pattern), pattern.slice(0, 20)).toContain(String(patternStepsMax));
  expect(spentMs()).toBeLessThan(1_000); // nothing was compiled
});

test("a long pattern is compiled once, not for every text", () => {
  const long = `^(${"abc|".repeat(2_000)}z)$`;
  patternProblem(long);
  const spentMs = measureWork();
  for (let index = 0; index < 500; index++) expect(matchesPattern(long, "z")).toBe(true);
  // Compiling it takes some ten milliseconds at least, so 500 times would take seconds.
  expect(spentMs()).toBeLessThan(2_000);
});

test("compiled patterns are cached up to a limit, and work beyond it", () => {
  const each = 1_000;
  const count = Math.ceil(keptPatternStepsMax / each) + 2;
  for (let index = 0; index < count; index++) patternProblem(`(${String(index).padEnd(each, "#")}`);
  expect(matchesPattern("^x1$", "x1")).toBe(true);
});

test("the patterns of one schema share a limit, in which each counts once", () => {
  const each = 10_000;
  const schema = (patterns: readonly string[]) =>
    ({ properties: Object.fromEntries(patterns.map((pattern, index) => [`p${index}`, { pattern }])) }) as JsonSchema;
  const distinct = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padEnd(each, "b"));
  const fits = schemaPatternStepsMax / each;
  const one = "b".repeat(each);
  expect(finish(checkPatterns(schema([one, one, one, one, one, one, one]), "s"))).toEqual([]);
  expect(finish(checkPatterns(schema(distinct(fits)), "s"))).toEqual([]);
  expect(finish(checkPatterns(schema(distinct(fits + 1)), "s")).map(({ field }) => field)).toEqual([
    `s.properties[p${fits}].pattern`,
  ]);
});

test("patterns of a schema are compiled one by one, with others in between", () => {
  const patterns = Array.from({ length: 100 }, (_, index) => `^(a|b|${index})+$`);
  let pauses = 0;
  for (const steps = checkPatterns({ anyOf: patterns.map((pattern) => ({ pattern })) }, "s"); !steps.next().done; )
    pauses++;
  expect(pauses).toBeGreaterThanOrEqual(patterns.length);
});
