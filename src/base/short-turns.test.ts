import { expect, test } from "vitest";
import { ShortTurns, turnMsMax } from "./short-turns.ts";

/** Begins `count` pieces of work that take `ms` each, all in one turn, and says in which turn and order each of them ran. */
async function began(count: number, ms: number): Promise<readonly { turn: number; piece: number }[]> {
  let nowMs = 0;
  let turn = 0;
  const turns = new ShortTurns(() => nowMs);
  const seen: { turn: number; piece: number }[] = [];
  const next = () => {
    turn += 1;
    if (seen.length < count) setImmediate(next);
  };
  setImmediate(next);
  await Promise.all(
    Array.from({ length: count }, async (_, piece) => {
      const waiting = turns.enter();
      if (waiting !== undefined) await waiting;
      seen.push({ turn, piece });
      nowMs += ms;
    }),
  );
  return seen;
}

test("work that fits into one turn begins at once", async () => {
  const seen = await began(4, turnMsMax / 4);
  expect(seen.map(({ turn }) => turn)).toEqual([0, 0, 0, 0]);
});

test("no turn has more work than it may, and one piece", async () => {
  const ms = turnMsMax / 4;
  const perTurn = new Map<number, number>();
  for (const { turn } of await began(300, ms)) perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
  expect(Math.max(...perTurn.values()) * ms).toBeLessThanOrEqual(turnMsMax + ms);
  expect(perTurn.size).toBeGreaterThanOrEqual(60);
});

test("work begins in the order in which it came", async () => {
  const seen = await began(100, turnMsMax / 4);
  expect(seen.map(({ piece }) => piece)).toEqual(Array.from({ length: 100 }, (_, at) => at));
});

test("a turn without work counts for nothing", async () => {
  let nowMs = 0;
  const turns = new ShortTurns(() => nowMs);
  expect(turns.enter()).toBeUndefined();
  await new Promise((resolve) => setImmediate(resolve));
  nowMs += 1_000;
  expect(turns.enter()).toBeUndefined();
});
