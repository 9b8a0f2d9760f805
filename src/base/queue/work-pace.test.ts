import { expect, test } from "vitest";
import { slowWorkMs, WorkPace } from "./work-pace.ts";

const after = (pace: WorkPace, ms: number, times = 100) => {
  for (let left = times; left > 0; left--) pace.note(ms);
  return pace.workers;
};

test("as long as work is quick there are as many workers as were asked for", () => {
  const pace = new WorkPace(4, 64);
  expect([pace.workers, after(pace, slowWorkMs / 10), after(pace, slowWorkMs)]).toEqual([4, 4, 4]);
});

test("where work takes ten times as long, ten times as much is done at once, up to the limit, until it is quick again", () => {
  const pace = new WorkPace(4, 64);
  expect([after(pace, slowWorkMs * 10), after(pace, slowWorkMs * 100), after(pace, 1)]).toEqual([39, 64, 4]);
});

test("one slow key does not count for much", () => {
  const pace = new WorkPace(4, 64);
  expect(after(pace, slowWorkMs * 5, 1)).toBe(4);
});

test("a queue that names no other number has as many workers at any pace", () => {
  expect(after(new WorkPace(1), 60_000)).toBe(1);
});
