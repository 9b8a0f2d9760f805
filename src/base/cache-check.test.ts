import { expect, test } from "vitest";
import { checkAnswer, wrongAnswers } from "./cache-check.ts";

/** The message of the error, which is taken from the list of this process. */
function problemOf(cached: unknown, computed: unknown): string | undefined {
  try {
    checkAnswer("sums", cached, computed);
    return undefined;
  } catch (error) {
    expect(wrongAnswers.pop()).toBe((error as Error).message);
    return (error as Error).message;
  }
}

test("equal answers pass, whatever they are made of", () => {
  const answers = () => [
    undefined,
    1n,
    { a: [1, { b: null }] },
    new Map([["a", new Set([1])]]),
    Buffer.from([0, 200, 255]),
    { list: [], same: () => true },
  ];
  for (const [at, answer] of answers().entries()) expect(problemOf(answer, answers()[at])).toBeUndefined();
});

test("an answer that differs is an error that shows both, and is remembered", () => {
  expect(problemOf({ sum: 3 }, { sum: 4 })).toBe(
    'the cache sums gives another answer than computing it again\n  cached:   {"sum":3}\n  computed: {"sum":4}',
  );
});

test("answers differ by the order of members, by what maps and bytes hold, and by being there", () => {
  expect(problemOf({ a: 1, b: 2 }, { b: 2, a: 1 })).toContain('{"b":2,"a":1}');
  expect(problemOf(new Map([["a", 1]]), new Map([["a", 2]]))).toContain('{"map":[["a",2]]}');
  expect(problemOf(Buffer.from("a"), Buffer.from("b"))).toContain('cached:   "a"');
  expect(problemOf(undefined, {})).toContain("cached:   undefined");
});

test("of long answers the part is shown in which they begin to differ", () => {
  const same = "x".repeat(5_000);
  const problem = problemOf([same, "left", same], [same, "right", same]);
  expect(problem).toContain("left");
  expect(problem).toContain("right");
  expect(problem!.length).toBeLessThan(3_000);
});
