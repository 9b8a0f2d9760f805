import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { checkIntervalMs, checkRetryMs, checkSoonMs, createCheckRounds } from "./check-rounds.ts";

function open() {
  const clock = createManualClock(0);
  const checks: { readonly name: string; readonly atMs: number; end(passed: boolean): Promise<void> }[] = [];
  const rounds = createCheckRounds(clock, (name) => {
    return new Promise((resolve) => {
      const end = async (passed: boolean) => {
        resolve(passed);
        // The next check is scheduled in the same turn.
        await new Promise(setImmediate);
      };
      checks.push({ name, atMs: clock.now(), end });
    });
  });
  return { clock, checks, rounds, times: () => checks.map(({ atMs }) => atMs) };
}

test("a server is checked soon after a change, once for several, and then from time to time", async () => {
  const { clock, checks, rounds, times } = open();
  rounds.begin("a", { port: 1 });
  rounds.begin("a", { port: 2 });
  rounds.soon("a");
  clock.advance(checkSoonMs);
  await checks[0]?.end(true);
  rounds.begin("a", { port: 2 });
  clock.advance(checkIntervalMs - 1);
  expect(times()).toEqual([checkSoonMs]);
  clock.advance(1);
  expect(times()).toEqual([checkSoonMs, checkSoonMs + checkIntervalMs]);
});

test("a change during a check causes another check soon after it", async () => {
  const { clock, checks, rounds, times } = open();
  rounds.begin("a", {});
  clock.advance(checkSoonMs);
  rounds.soon("a");
  clock.advance(1_000);
  expect(times()).toEqual([checkSoonMs]);
  await checks[0]?.end(false);
  clock.advance(checkSoonMs);
  expect(times()).toEqual([checkSoonMs, 2 * checkSoonMs + 1_000]);
});

test("a server that does not answer is checked again after delays that double, up to the usual interval", async () => {
  const { clock, checks, rounds } = open();
  rounds.begin("a", {});
  clock.advance(checkSoonMs);
  const delays: number[] = [];
  for (let failure = 0; failure < 9; failure++) {
    const before = clock.now();
    await checks.at(-1)?.end(false);
    while (checks.length === failure + 1) clock.advance(checkRetryMs);
    delays.push(clock.now() - before);
  }
  expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  await checks.at(-1)?.end(true);
  clock.advance(checkIntervalMs);
  await checks.at(-1)?.end(false);
  clock.advance(checkRetryMs);
  expect(checks).toHaveLength(12);
});

test("a slow server does not delay other checks, and a forgotten one is not checked again", async () => {
  const { clock, checks, rounds } = open();
  rounds.begin("slow", {});
  rounds.begin("gone", {});
  clock.advance(checkSoonMs);
  rounds.forget("gone");
  await checks[1]?.end(true);
  rounds.begin("other", {});
  clock.advance(checkSoonMs);
  clock.advance(checkIntervalMs);
  expect(checks.map(({ name }) => name)).toEqual(["slow", "gone", "other"]);
  rounds.close();
  await checks[0]?.end(true);
  clock.advance(checkIntervalMs);
  expect(checks).toHaveLength(3);
});
