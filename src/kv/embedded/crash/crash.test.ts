import { expect, test } from "vitest";
import { crashPoints } from "../crash-point.ts";
import { runCrashRounds } from "./harness.ts";

test("nothing acknowledged is lost when the process is killed, at every named point and at any instant", async () => {
  const report = await runCrashRounds({ rounds: crashPoints.length * 2, seed: Date.now() % 1_000_000 });
  expect([...report.reached.keys()].sort()).toEqual([...crashPoints].sort());
  expect(report.random).toBe(crashPoints.length);
  expect(report.acknowledged).toBeGreaterThan(0);
}, 180_000);
