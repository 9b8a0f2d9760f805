import { expect, test } from "vitest";
import { onFirstUse } from "./first-use.ts";

test("a value is made once, when it is first needed", () => {
  const made: number[] = [];
  const value = onFirstUse(() => made.push(made.length));
  expect(made).toEqual([]);
  expect([value(), value()]).toEqual([1, 1]);
});

test("a value may be undefined, and is not made again", () => {
  let calls = 0;
  const nothing = onFirstUse(() => {
    calls += 1;
    return undefined;
  });
  expect([nothing(), nothing(), calls]).toEqual([undefined, undefined, 1]);
});

test("what failed is tried again", () => {
  let calls = 0;
  const value = onFirstUse(() => {
    calls += 1;
    if (calls === 1) throw new Error("not yet");
    return calls;
  });
  expect(value).toThrow("not yet");
  expect(value()).toBe(2);
});
