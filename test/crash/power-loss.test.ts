import { rmSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { runPowerLosses } from "./power-loss.ts";
import { compileShim } from "./shim.ts";

const [runs, statesEach] = process.env["LONG_TESTS"] === undefined ? [2, 120] : [8, 250];
const shim = compileShim();
afterAll(() => rmSync(shim ?? "", { force: true }));

describe.skipIf(shim === undefined)("a loss of power", () => {
  const options = { shim: shim!, seed: Date.now() % 1_000_000 };

  test("loses nothing that was acknowledged or shown, whichever sectors reached the disk", async () => {
    const report = await runPowerLosses({ ...options, runs, states: statesEach });
    expect(report.states).toBe(runs * statesEach);
    expect(report.acknowledged).toBeGreaterThan(runs * 25);
  }, 180_000);

  // The test of the test: a store that did not wait for the disk would be caught.
  for (const ignore of ["syncs", "durable writes"] as const) {
    test(`would be noticed if ${ignore} were left out`, async () => {
      await expect(runPowerLosses({ ...options, runs: 1, states: 200, ignore })).rejects.toThrow(/lost|damaged|holds/);
    });
  }
});
