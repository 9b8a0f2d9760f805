import { expect, test } from "vitest";
import { restMsAfter, restMsMax, SyncTimes, slowRestMsMax } from "./rest.ts";

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

test("where a sync takes long, the rest is longer in proportion, once, and up to a limit", () => {
  const times = new SyncTimes(true);
  const rests = [300, undefined, 60_000].map((ms) => {
    if (ms !== undefined) times.note("web", ms);
    return times.restMs("web", () => 200);
  });
  expect(rests).toEqual([600, 10, slowRestMsMax]);
});

test("few objects never rest, and a clock that is moved by hand does not wait for slow syncs", () => {
  const [real, moved] = [new SyncTimes(true), new SyncTimes(false)];
  for (const times of [real, moved]) times.note("web", 300);
  expect([real.restMs("web", () => 19), moved.restMs("web", () => 200)]).toEqual([0, 10]);
});
