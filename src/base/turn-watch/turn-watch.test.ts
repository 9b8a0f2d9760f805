import { afterEach, describe, expect, test } from "vitest";
import { inNextTurn } from "../turns.ts";
import { openThreadTime } from "./thread-time.ts";
import { type LongTurn, type TurnWatch, watchTurns } from "./turn-watch.ts";

const msMax = 40;
let watch: TurnWatch | undefined;
afterEach(() => {
  watch?.close();
  watch = undefined;
});

const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Works for so long in processor time, whatever else runs on the machine. */
function workFor(ms: number): void {
  const time = openThreadTime();
  for (const end = time.ms() + ms; time.ms() < end; );
  time.close();
}

describe("a watch of turns", () => {
  test("tells the calls of a turn that takes too long", async () => {
    const turns: LongTurn[] = [];
    watch = watchTurns({ msMax, onLong: (turn) => turns.push(turn) });
    await nextTurn();
    workFor(msMax * 2);
    await nextTurn();
    expect(turns).toHaveLength(1);
    expect(turns[0]?.ms).toBeGreaterThan(msMax);
    expect(turns[0]?.stack.join("\n")).toMatch(/workFor \(.*turn-watch\.test\.ts/);
    expect(turns[0]?.functions.length).toBeGreaterThan(0);
  });

  test("is silent about the same work in several turns, and about a turn that waited", async () => {
    const turns: LongTurn[] = [];
    // Told by hand: a machine that others share may count as work what it took away.
    let [workedMs, elapsedMs] = [0, 0];
    const times = { workedMs: () => workedMs, elapsedMs: () => elapsedMs, close: () => {} };
    watch = watchTurns({ msMax, times, onLong: (turn) => turns.push(turn) });
    for (const [work, wait] of [...Array(6).fill([msMax / 3, 0]), [msMax / 3, msMax * 10]]) {
      workedMs += work;
      elapsedMs += work + wait;
      watch.look();
    }
    expect(turns).toEqual([]);
  });

  test("counts what was done until it is asked, and not twice", async () => {
    const turns: LongTurn[] = [];
    watch = watchTurns({ msMax, onLong: (turn) => turns.push(turn) });
    workFor(msMax * 2);
    watch.look();
    watch.look();
    await nextTurn();
    expect(turns.filter(({ stack }) => stack.some((call) => call.includes("workFor")))).toHaveLength(1);
  });

  test("leaves out calls that do not count", async () => {
    const turns: LongTurn[] = [];
    const files = new Set<string>();
    const counts = (frames: readonly string[]) => {
      for (const file of frames) files.add(file);
      return !frames.some((file) => file.endsWith("turn-watch.test.ts"));
    };
    watch = watchTurns({ msMax, counts, onLong: (turn) => turns.push(turn) });
    await new Promise<void>((resolve) =>
      inNextTurn(() => {
        workFor(msMax * 2);
        resolve();
      }),
    );
    watch.look();
    expect(turns).toEqual([]);
    expect([...files].some((file) => file.endsWith("turn-watch.test.ts"))).toBe(true);
  });
});
