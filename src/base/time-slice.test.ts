import { describe, expect, test, vi } from "vitest";
import {
  atOnceBytesMax,
  beforeLongStep,
  finish,
  inTimeSlices,
  run,
  type Steps,
  TimeSlice,
  timeSliceFor,
  wait,
} from "./time-slice.ts";
import { countTurns } from "./turn-counter.suite.ts";

function workFor(ms: number): void {
  for (const begin = performance.now(); performance.now() - begin < ms; );
}

test("small work needs no slices", () => {
  expect(timeSliceFor(atOnceBytesMax)).toBeUndefined();
  expect(timeSliceFor(atOnceBytesMax + 1)).toBeInstanceOf(TimeSlice);
});

test("a time slice is over after its time, and the next one starts from zero", async () => {
  let now = 1_000;
  using _ = vi.spyOn(performance, "now").mockImplementation(() => now);
  const slice = new TimeSlice();
  expect(slice.isLong).toBe(false);
  now += 15;
  expect(slice.isLong).toBe(true);
  await slice.next();
  expect(slice.isLong).toBe(false);
});

test("the clock is not read at every small step", () => {
  const slice = new TimeSlice();
  workFor(15);
  const steps = Array.from({ length: 16 }, () => slice.isOver);
  expect(steps.filter(Boolean)).toHaveLength(1);
});

test("steps that may be long share a turn until they have used it up, and each further one gets a turn", async () => {
  // What ran before in this turn is not part of the test.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const turns = countTurns();
  const step = async (ms: number) => {
    const later = beforeLongStep();
    if (later !== undefined) await later;
    workFor(ms);
    return turns.turn;
  };
  const [first, second, third, fourth] = await Promise.all([step(0), step(12), step(12), step(12)]);
  turns.stop();
  expect(second).toBe(first);
  expect(third).toBeGreaterThan(second!);
  expect(fourth).toBeGreaterThan(third!);
});

describe("work in steps", () => {
  function* work(log: string[]): Steps<string> {
    log.push("one");
    workFor(15);
    yield;
    log.push("two");
    return "done";
  }

  test("can be finished at once", () => {
    const log: string[] = [];
    setImmediate(() => log.push("others"));
    expect([finish(work(log)), log]).toEqual(["done", ["one", "two"]]);
  });

  function* asking(answer: Promise<number>): Steps<string> {
    try {
      return `got ${yield* wait(answer)} and ${yield* wait("no promise")}`;
    } catch (error) {
      return String(error);
    }
  }

  test("can wait for something, or fail with it", async () => {
    expect(await run(asking(Promise.resolve(7)), undefined)).toBe("got 7 and no promise");
    expect(await inTimeSlices(asking(Promise.reject(new Error("lost"))))).toBe("Error: lost");
    expect(() => finish(asking(Promise.resolve(7)))).toThrow(/waits/);
  });

  test("can run in time slices", async () => {
    const log: string[] = [];
    setImmediate(() => log.push("others"));
    expect([await inTimeSlices(work(log)), log]).toEqual(["done", ["one", "others", "two"]]);
  });
});

test("only one of many waiting slices runs in each turn of the event loop", async () => {
  let rounds = 0;
  const counting = () => {
    rounds++;
    if (ended < 20) setImmediate(counting);
  };
  let ended = 0;
  const one = async () => {
    const slice = new TimeSlice();
    const seen: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await slice.next();
      seen.push(rounds);
    }
    ended++;
    return seen;
  };
  setImmediate(counting);
  const seen = await Promise.all(Array.from({ length: 20 }, one));
  expect(new Set(seen.flat()).size).toBe(60);
});

test("other work runs between two slices", async () => {
  let served = false;
  setImmediate(() => {
    served = true;
  });
  await new TimeSlice().next();
  expect(served).toBe(true);
});

test("short work does not wait for all of the long work", async () => {
  let longSlices = 0;
  let isOver = false;
  const long = async () => {
    const slice = new TimeSlice();
    while (!isOver) {
      longSlices++;
      await slice.next();
    }
  };
  const works = Array.from({ length: 50 }, long);
  await expect.poll(() => longSlices).toBeGreaterThan(50 * 20);
  const before = longSlices;
  const slice = new TimeSlice();
  for (let next = 0; next < 5; next++) await slice.next();
  expect(longSlices - before).toBeLessThan(10);
  isOver = true;
  await Promise.all(works);
});

test("long work goes on beside much short work", async () => {
  let isOver = false;
  const short = async () => {
    while (!isOver) await new TimeSlice().next();
  };
  const works = Array.from({ length: 50 }, short);
  const slice = new TimeSlice();
  for (let next = 0; next < 40; next++) await slice.next();
  isOver = true;
  await Promise.all(works);
});
