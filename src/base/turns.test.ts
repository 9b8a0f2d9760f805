import { afterEach, expect, test, vi } from "vitest";
import { endOfTurn } from "./turns.ts";

afterEach(() => vi.useRealTimers());

test("all who wait in one turn go on together, after what came before the end of the turn", async () => {
  const log: string[] = [];
  const wait = (name: string) => endOfTurn().then(() => void log.push(name));
  const all = [wait("a"), wait("b")];
  process.nextTick(() => {
    log.push("read");
    all.push(wait("c"));
  });
  await all[0];
  await Promise.all(all);
  expect(log).toEqual(["read", "a", "b", "c"]);
  await wait("next");
  expect(log.at(-1)).toBe("next");
});

test("a turn ends also where a test has replaced the timers", async () => {
  vi.useFakeTimers();
  await endOfTurn();
});
