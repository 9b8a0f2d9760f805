import { expect, test } from "vitest";
import { seededRandom } from "./seeded-random.ts";
import { sortSteps } from "./sort-steps.ts";
import { finish } from "./time-slice.ts";

const random = seededRandom(7);
const texts = (count: number) => Array.from({ length: count }, () => random().toString(36).slice(2, 8));

test("texts are sorted as `sort` does, however many there are", () => {
  for (const count of [0, 1, 2, 1_999, 2_000, 2_001, 6_001, 20_000]) {
    const given = texts(count);
    expect(finish(sortSteps([...given]))).toEqual([...given].sort());
  }
});

test("by another order, equal texts stay in their order", () => {
  const byFirst = (one: string, other: string) => one.charCodeAt(0) - other.charCodeAt(0);
  const given = texts(9_000);
  expect(finish(sortSteps([...given], byFirst))).toEqual([...given].sort(byFirst));
});

test("other work runs between the steps of a long list", () => {
  const steps = sortSteps(texts(10_000));
  let count = 0;
  while (!steps.next().done) count++;
  expect(count).toBeGreaterThan(10);
});
