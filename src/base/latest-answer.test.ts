import { expect, test } from "vitest";
import { latestAnswer } from "./latest-answer.ts";

test("the same question again is not computed again, another one is", () => {
  const asked: string[] = [];
  const upper = latestAnswer("capitals", (text: string) => {
    asked.push(text);
    return text.toUpperCase();
  });
  expect(["a", "a", "b", "a"].map(upper)).toEqual(["A", "A", "B", "A"]);
  expect(asked.filter((text, at) => text !== asked[at - 1])).toEqual(["a", "b", "a"]);
});

test("questions of several values are the same if the caller says so", () => {
  const sum = latestAnswer(
    "sums",
    ({ a, b }: { a: number; b: number }) => ({ total: a + b }),
    (one, other) => one.a === other.a && one.b === other.b,
  );
  const first = sum({ a: 1, b: 2 });
  expect(sum({ a: 1, b: 2 })).toBe(first);
  expect(sum({ a: 2, b: 2 })).toEqual({ total: 4 });
});

test("a question that is NaN or undefined is a question", () => {
  const text = latestAnswer("texts", String);
  expect([text(undefined), text(Number.NaN), text(Number.NaN)]).toEqual(["undefined", "NaN", "NaN"]);
});
