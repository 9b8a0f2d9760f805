import { expect, test } from "vitest";
import { reportedStatus, withReport } from "./reported-versions.ts";
import type { ServerStorageVersion } from "./v1alpha1/storage-version.ts";

const report = (apiServerID: string, encodingVersion: string): ServerStorageVersion => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
});
const at = (hour: number) => Date.UTC(2026, 0, 1, hour);
const hourOf = (text: string | null | undefined) => new Date(text ?? "").getUTCHours();

test("a report takes the place of the earlier one of its server, or the end", () => {
  const reports = [report("a", "v1"), report("b", "v1")];
  expect(withReport(reports, report("a", "v2"))).toEqual([report("a", "v2"), report("b", "v1")]);
  expect(withReport(reports, report("c", "v2"))).toEqual([...reports, report("c", "v2")]);
});

test("the condition keeps its time until servers begin or cease to agree, or agree on another version", () => {
  const steps: readonly [reports: ServerStorageVersion[], common: string | undefined, hour: number][] = [
    [[report("a", "v1")], "v1", 0],
    [[report("a", "v1"), report("b", "v1")], "v1", 0],
    [[report("a", "v2"), report("b", "v1")], undefined, 2],
    [[report("a", "v3"), report("b", "v1")], undefined, 2],
    [[report("a", "v2"), report("b", "v2")], "v2", 4],
    [[report("a", "v3")], "v3", 5],
  ];
  let status = {};
  for (const [hour, [reports, common, since]] of steps.entries()) {
    const next = reportedStatus(status, reports, at(hour));
    expect(next.commonEncodingVersion).toBe(common);
    const [condition] = next.conditions ?? [];
    expect(condition).toMatchObject({ type: "AllEncodingVersionsEqual", status: common ? "True" : "False" });
    expect(hourOf(condition?.lastTransitionTime)).toBe(since);
    expect(next.conditions).toHaveLength(1);
    status = next;
  }
});
