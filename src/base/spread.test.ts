import { expect, test } from "vitest";
import { createSpread } from "./spread.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("as many as may begin at once do not wait, and the others begin in the next turns, in their order", async () => {
  const spread = createSpread(3);
  const begun: number[] = [];
  const begin = async (at: number) => {
    const turn = spread();
    if (turn !== undefined) await turn;
    begun.push(at);
  };
  const all = Array.from({ length: 8 }, (_, at) => begin(at));
  const turns: number[][] = [];
  while (begun.length > 0 || turns.length === 0) {
    turns.push(begun.splice(0));
    await nextTurn();
  }
  await Promise.all(all);
  expect(turns).toEqual([
    [0, 1, 2],
    [3, 4, 5],
    [6, 7],
  ]);
});

test("who comes while others wait begins after them", async () => {
  const spread = createSpread(1);
  const begun: string[] = [];
  expect(spread()).toBeUndefined();
  const first = spread()?.then(() => begun.push("first"));
  const second = spread()?.then(() => begun.push("second"));
  await nextTurn();
  const third = spread()?.then(() => begun.push("third"));
  await Promise.all([first, second, third]);
  expect(begun).toEqual(["first", "second", "third"]);
});

test("after a turn in which nothing began, the next may begin at once", async () => {
  const spread = createSpread(1);
  expect(spread()).toBeUndefined();
  expect(spread()).toBeInstanceOf(Promise);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(spread()).toBeUndefined();
});
