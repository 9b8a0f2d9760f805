import { rmSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { runPowerLosses } from "./power-loss.ts";
import { compileShim } from "./shim.ts";

const shim = compileShim();
afterAll(() => rmSync(shim ?? "", { force: true }));

describe.skipIf(shim === undefined)("a loss of power", () => {
  const options = { shim: shim!, seed: Date.now() % 1_000_000 };

  test("loses nothing that was acknowledged or shown, whichever sectors reached the disk", async () => {
    const report = await runPowerLosses({ ...options, runs: 4, states: 250 });
    expect(report.states).toBe(1_000);
    expect(report.acknowledged).toBeGreaterThan(100);
  }, 180_000);

  // The test of the test: a store that did not wait for the disk would be caught.
  for (const ignore of ["syncs", "durable writes"] as const) {
    test(`would be noticed if ${ignore} were left out`, async () => {
      await expect(runPowerLosses({ ...options, runs: 1, states: 200, ignore })).rejects.toThrow(/lost|damaged|holds/);
    });
  }
});
