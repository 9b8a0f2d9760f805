import { createRequire } from "node:module";
import fc from "fast-check";
import type { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { patternSteps } from "./pattern-steps.ts";

const engine = (createRequire(import.meta.url)("re2js") as { RE2JS: typeof RE2JS }).RE2JS;

const cases = [
  { why: "an empty pattern", pattern: "", steps: 0 },
  { why: "one for each character", pattern: "ab", steps: 2 },
  { why: "a class is one", pattern: "[a-z]", steps: 1 },
  { why: "a bracket in first position belongs to the class", pattern: "[]a]b", steps: 2 },
  { why: "a bracket after the negation belongs to the class", pattern: "[^]a]b", steps: 2 },
  { why: "an escaped bracket does not close", pattern: "[a\\]{9}]b", steps: 2 },
  { why: "an escape is one", pattern: "\\d\\pL\\p{Greek}\\x{10FFFF}", steps: 5 },
  { why: "a repetition", pattern: "a{3}", steps: 3 },
  { why: "up to the larger number", pattern: "a{1,5}", steps: 5 },
  { why: "without an end", pattern: "a{2,}", steps: 2 },
  { why: "a repetition of zero still counts", pattern: "a{0}", steps: 1 },
  { why: "a group and its two ends", pattern: "(ab)", steps: 4 },
  { why: "groups within groups", pattern: "((a{9}){9}b){9}", steps: ((9 + 2) * 9 + 1 + 2) * 9 },
  { why: "a brace that repeats nothing is a character", pattern: "a{,3}", steps: 5 },
  { why: "groups that are not closed", pattern: "((a", steps: 1 },
  { why: "groups that are not opened", pattern: "a))", steps: 1 + 3 + 6 },
];
for (const { why, pattern, steps } of cases)
  test(`${JSON.stringify(pattern)}: ${why}`, () => expect(patternSteps(pattern)).toBe(steps));

test("no pattern becomes much larger than estimated", () => {
  const atom = fc.constantFrom("a", ".", "\\d", "[a-c]", "[^x]", "\\pL", "^", "$", "é", "(?i:k)");
  const { whole } = fc.letrec<{ whole: string; part: string }>((tie) => ({
    part: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      atom,
      tie("whole").map((inner) => `(${inner})`),
      fc.tuple(atom, fc.constantFrom("*", "+", "?", "{3}", "{2,7}", "{0,9}")).map(([one, times]) => one + times),
      fc.tuple(tie("whole"), fc.constantFrom("{4}", "{1,5}", "*")).map(([inner, times]) => `(?:${inner})${times}`),
    ),
    whole: fc.oneof(
      fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
      fc.array(tie("part"), { minLength: 2, maxLength: 3 }).map((parts) => parts.join("|")),
    ),
  }));
  fc.assert(
    fc.property(whole, (pattern) => {
      const size = compiledSize(pattern);
      fc.pre(size !== undefined);
      expect(size).toBeLessThanOrEqual(4 * patternSteps(pattern) + 10);
    }),
    { numRuns: 300, examples: [["(?:(?:(?:(?:(?:a){4}){4}){4}){4}){4}"]] },
  );
});

/** Nothing for a pattern that the engine refuses, such as repetitions that multiply to more than a thousand. */
function compiledSize(pattern: string): number | undefined {
  try {
    return engine.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}

test("the estimate accepts every text", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."()[]{}\\^,09apx|*") }), (text) => patternSteps(text) >= 0),
  );
  for (const piece of ["(", "[", "{", "{9", "\\p{", "(a{9}){9}"]) patternSteps(piece.repeat(10_000));
});
