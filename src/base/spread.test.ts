import { expect, test } from "vitest";
import { createSpread, type Spread, spreadTurnMs } from "./spread.ts";

const standing = () => 0;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Begins the callers together and says which of them began in which turn. */
async function turnsOf<T>(callers: readonly T[], spread: Spread, onBegin: (caller: T) => void): Promise<T[][]> {
  const begun: T[] = [];
  const all = callers.map(async (caller) => {
    const later = spread();
    if (later !== undefined) await later;
    begun.push(caller);
    onBegin(caller);
  });
  const turns = [begun.splice(0)];
  while (turns.flat().length < callers.length) {
    await nextTurn();
    if (begun.length > 0) turns.push(begun.splice(0));
  }
  await Promise.all(all);
  return turns;
}

test("as many as may begin at once do not wait, and the others begin in the next turns, in their order", async () => {
  const turns = await turnsOf([0, 1, 2, 3, 4, 5, 6, 7], createSpread(3, standing), () => {});
  expect(turns).toEqual([
    [0, 1, 2],
    [3, 4, 5],
    [6, 7],
  ]);
});

test("who comes while others wait begins after them", async () => {
  const spread = createSpread(1, standing);
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
  const spread = createSpread(1, standing);
  expect(spread()).toBeUndefined();
  expect(spread()).toBeInstanceOf(Promise);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(spread()).toBeUndefined();
});

test("nothing more begins in a turn that has worked for long, and something begins in each", async () => {
  let nowMs = 0;
  const spread = createSpread(100, () => nowMs);
  const [half, whole] = [spreadTurnMs / 2, spreadTurnMs];
  const turns = await turnsOf([half, half, 1, 2 * whole, whole, 1, whole, 1], spread, (ms) => {
    nowMs += ms;
  });
  expect(turns).toEqual([[half, half], [1, 2 * whole], [whole], [1, whole], [1]]);
});
