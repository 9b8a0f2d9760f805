import fc from "fast-check";
import { expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { searchFor } from "./search.ts";

test("the search finds what the engine finds, in both directions", () => {
  // Few letters and long runs, so that parts nearly match; beyond the product that is left to the engine.
  const letters = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.integer({ min: 1, max: 400 })), { maxLength: 12 });
  const run = letters.map((parts) => parts.map(([letter, count]) => letter.repeat(count)).join(""));
  fc.assert(
    fc.property(run, run, fc.integer({ min: 0, max: 5_000 }), (text, part, at) => {
      const { first, last } = searchFor(part);
      const from = Math.min(at, text.length);
      expect([first(text, from), last(text, at)]).toEqual([text.indexOf(part, from), text.lastIndexOf(part, at)]);
    }),
  );
});

test("a search takes as long as the text and the part, not as long as their product", () => {
  const text = "a".repeat(500_000);
  const half = "a".repeat(250_000);
  for (const part of [`b${half}`, `${half}b`, `${half}b${half.slice(1)}`]) {
    const spent = measureWork();
    const { first, last } = searchFor(part);
    expect([first(text, 0), last(text, text.length)]).toEqual([-1, -1]);
    expect(spent()).toBeLessThan(200); // 62 billion comparisons take a minute
  }
});
