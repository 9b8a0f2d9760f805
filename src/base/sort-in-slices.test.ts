import fc from "fast-check";
import { expect, test } from "vitest";
import { sortInSlices } from "./sort-in-slices.ts";

test("sorts as Array.sort does, and keeps the order of equal items", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 50 }),
      fc.integer({ min: 1, max: 90 }),
      async (some, times) => {
        const items = Array.from({ length: times }, () => some)
          .flat()
          .map((key, at) => ({ key, at }));
        const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
        expect(await sortInSlices(items, compare)).toEqual([...items].sort(compare));
      },
    ),
    { numRuns: 20 },
  );
});

test("sorts more than one run", async () => {
  const items = Array.from({ length: 10_500 }, (_, at) => (at * 7_919) % 10_500);
  expect(await sortInSlices(items, (one, other) => one - other)).toEqual(Array.from({ length: 10_500 }, (_, at) => at));
});
