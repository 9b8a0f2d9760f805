import { expect, test } from "vitest";
import { crashPoints } from "../crash-point.ts";
import { runCrashRounds } from "./harness.ts";

test("there are more crash points than the 41 of etcd's robustness tests", () => {
  expect(new Set(crashPoints).size).toBe(crashPoints.length);
  expect(crashPoints.length).toBeGreaterThanOrEqual(45);
});

test("nothing acknowledged or shown is lost when the process is killed, at every named point and at any instant", async () => {
  const random = 20;
  const rounds = crashPoints.length + random;
  const report = await runCrashRounds({ rounds, randomShare: random / rounds, seed: Date.now() % 1_000_000 });
  expect([...report.reached.keys()].sort()).toEqual([...crashPoints].sort());
  expect(report.random).toBe(random);
  expect(report.acknowledged).toBeGreaterThan(0);
}, 180_000);
