import { expect, test } from "vitest";
import { crashPoints } from "../../src/kv/embedded/crash-point.ts";
import { runCrashRounds } from "./harness.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
/** Kills at any instant, and at each named point (F1 and F2 in docs/security-rows.md). */
const random = isLong ? 200 : 10;
const timesEach = isLong ? 5 : 1;

test("there are more crash points than the 41 of etcd's robustness tests", () => {
  expect(new Set(crashPoints).size).toBe(crashPoints.length);
  expect(crashPoints.length).toBeGreaterThanOrEqual(45);
});

test("nothing acknowledged or shown is lost when the process is killed, at every named point and at any instant", async () => {
  const rounds = crashPoints.length * timesEach + random;
  const report = await runCrashRounds({ rounds, randomShare: random / rounds, seed: Date.now() % 1_000_000 });
  expect([...report.reached.keys()].sort()).toEqual([...crashPoints].sort());
  expect(Math.min(...report.reached.values())).toBe(timesEach);
  expect(report.random).toBe(random);
  expect(report.acknowledged).toBeGreaterThan(0);
}, 1_800_000);
