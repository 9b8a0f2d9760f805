import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import { linesKeptMax, linesUntil, logSourceOf, writtenLines } from "./log-lines.ts";

const podOf = (annotations: Record<string, string>): Pod => ({ metadata: { name: "p", annotations } });
const run = { startedMs: 0, endedMs: undefined, number: 0 };

test("of a long log the newest lines are kept", () => {
  const source = logSourceOf(
    podOf({ "simulation.orch.io/logs": "a\nb", "simulation.orch.io/log-every": "1s" }),
    "main",
  );
  const nowMs = (linesKeptMax + 4) * 1_000;
  const lines = writtenLines(source, run, nowMs);
  expect([lines.length, linesUntil(source, run, nowMs)]).toEqual([linesKeptMax, linesKeptMax + 5]);
  expect([lines[0], lines.at(-1)]).toEqual([
    { atMs: 5_000, text: "b" },
    { atMs: nowMs, text: "a" },
  ]);
});

test("lines come no faster than every ten milliseconds", () => {
  const source = logSourceOf(podOf({ "simulation.orch.io/logs": "a", "simulation.orch.io/log-every": "1ns" }), "main");
  expect(writtenLines(source, run, 100)).toHaveLength(11);
});
