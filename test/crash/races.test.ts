import { expect, test } from "vitest";
import { isLinearizable } from "../../src/kv/linearizable.suite.ts";
import { runRaces, toHistories } from "./races.ts";

test("the results of concurrent clients before and after crashes are linearizable", async () => {
  const report = await runRaces({ rounds: 18, seed: Date.now() % 1_000_000 });
  expect(report.operations).toBeGreaterThan(500);
  expect(report.unknown).toBeGreaterThan(5);
});

test("an acknowledged write that is lost in a crash would be noticed", () => {
  const history = toHistories([
    { begin: 1, key: "a", kind: "put", expected: "0" },
    { end: 1, wrote: "7" },
    { begin: 2, key: "a", kind: "put", expected: "7" },
  ]).get("a")!;
  const after = (saw: bigint) => isLinearizable([...history, { kind: "read", saw, start: 100, end: 101 }]);
  expect(after(7n)).toBe(true);
  expect(after(8n)).toBe(true); // the write in progress has happened
  expect(after(0n)).toBe(false);
  expect(after(6n)).toBe(false);
});
