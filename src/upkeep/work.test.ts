import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { createWork, keysAtOnceMax } from "./work.ts";

test("a limited number of keys is processed at once", async () => {
  let underWay = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const work = createWork({
    name: "sample",
    clock: createManualClock(0),
    async work() {
      underWay++;
      most = Math.max(most, underWay);
      await new Promise<void>((resolve) => ends.push(resolve));
      underWay--;
    },
    failed() {},
  });
  for (let key = 0; key < keysAtOnceMax + 5; key++) work.add(String(key));
  await expect.poll(() => underWay).toBe(keysAtOnceMax);
  for (let ended = 0; ended < keysAtOnceMax + 5; ended++) {
    await expect.poll(() => ends.length).toBeGreaterThan(ended);
    ends[ended]!();
  }
  await work.close();
  expect(most).toBe(keysAtOnceMax);
});

test("a failure is logged and retried, with growing delays", async () => {
  const clock = createManualClock(0);
  const failures: string[] = [];
  let tries = 0;
  const work = createWork({
    name: "sample",
    clock,
    async work() {
      tries++;
      if (tries < 3) throw new Error(`try ${tries}`);
    },
    failed: (key, error) => failures.push(`${key}: ${(error as Error).message}`),
  });
  work.add("a");
  await expect.poll(() => failures).toEqual(["a: try 1"]);
  clock.advance(100);
  await expect.poll(() => failures).toEqual(["a: try 1", "a: try 2"]);
  clock.advance(100);
  expect(tries).toBe(2);
  clock.advance(100);
  await expect.poll(() => tries).toBe(3);
  expect(work.retries("a")).toBe(0);
  await work.close();
});
