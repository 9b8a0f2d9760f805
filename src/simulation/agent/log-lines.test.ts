import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import { declaredLog, linesKeptMax, logBytesMax } from "./log-lines.ts";

const podOf = (logs: string, every: string): Pod => ({
  metadata: { name: "p", annotations: { "simulation.orch.io/logs": logs, "simulation.orch.io/log-every": every } },
});
const run = { startedMs: 0, endedMs: undefined, number: 0 };

test("of a long log the newest lines are kept", () => {
  const source = declaredLog(podOf("a\nb", "1s"), "main", run);
  const nowMs = (linesKeptMax + 4) * 1_000;
  expect([source.first(nowMs), source.count(nowMs)]).toEqual([5, linesKeptMax + 5]);
  expect([source.line(5), source.line(linesKeptMax + 4)]).toEqual([
    { atMs: 5_000, text: "b" },
    { atMs: nowMs, text: "a" },
  ]);
});

test("of long lines only so many bytes are kept", () => {
  const line = "x".repeat(250_000);
  const source = declaredLog(podOf(line, "10ms"), "main", run);
  expect(source.count(60_000) - source.first(60_000)).toBe(Math.floor(logBytesMax / (line.length + 1)));
  const longer = declaredLog(podOf("y".repeat(2 * logBytesMax), "10ms"), "main", run);
  expect(longer.count(60_000) - longer.first(60_000)).toBe(1);
});

test("lines come no faster than every ten milliseconds", () => {
  expect(declaredLog(podOf("a", "1ns"), "main", run).count(100)).toBe(11);
});
