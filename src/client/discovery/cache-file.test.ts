import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { DiscoveryCacheFile } from "./cache-file.ts";
import { Discovery } from "./discovery.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-discovery-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("what was found is kept for a while, and not while the clock says that it was found later than now", () => {
  const file = join(folder, "found.json");
  const ahead = createManualClock(Date.parse("2036-01-01T00:00:00Z"));
  const kept = () => new DiscoveryCacheFile(file, ahead).read() !== undefined;
  new DiscoveryCacheFile(file, ahead).write(
    new Discovery({ groups: [], resources: [], failed: [], isAggregated: false }),
  );
  expect(kept()).toBe(true);
  const setBack = createManualClock(Date.parse("2026-01-01T00:00:00Z"));
  expect(new DiscoveryCacheFile(file, setBack).read()).toBeUndefined();
  ahead.advance(3_600_000);
  expect(kept()).toBe(false);
});
