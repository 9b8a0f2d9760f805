import { expect, test } from "vitest";
import { restMsAfter, restMsMax } from "./rest.ts";

const unreadable = () => {
  throw new TypeError("endpoints is null");
};
const cases = [
  { why: "a few objects are looked at again at once", sizeOf: () => 19, isRest: false },
  { why: "with many the next pass gathers changes", sizeOf: () => 200, isRest: true },
  { why: "an object that cannot be read does not stop the queue", sizeOf: unreadable, isRest: false },
];
for (const { why, sizeOf, isRest } of cases) test(why, () => expect(restMsAfter(sizeOf) >= 1).toBe(isRest));

test("a rest is never long enough to be noticed", () => {
  expect(restMsAfter(() => 1_000_000)).toBe(restMsMax);
  // `advance` takes work without progress for 250 ms to wait for the virtual clock itself.
  expect(restMsMax).toBeLessThan(250);
});
