import { describe, expect, test } from "vitest";
import { curvePointsMax, printUsage, usageOf } from "./usage.ts";

const mib = 1024 * 1024;

describe("the usage of a container", () => {
  const cases = [
    { why: "half of the request by default", text: undefined, requested: "200m", cpu: 100 },
    { why: "a little if nothing is requested", text: undefined, requested: undefined, cpu: 10 },
    { why: "a constant", text: "1.5", requested: "200m", cpu: 1_500 },
    { why: "a share of the request, which may be more than all", text: "150%", requested: "200m", cpu: 300 },
    { why: "a text that cannot be read counts as absent", text: "much", requested: "200m", cpu: 100 },
    { why: "the beginning of a curve", text: "1m=100m, 3m=500m", requested: undefined, atMs: 0, cpu: 100 },
    { why: "straight between two points", text: "1m=100m, 3m=500m", requested: undefined, atMs: 120_000, cpu: 300 },
    { why: "the end of a curve", text: "3m=500m,1m=100m", requested: undefined, atMs: 999_000, cpu: 500 },
    { why: "a curve of shares", text: "0s=50%, 10s=100%", requested: "1", atMs: 5_000, cpu: 750 },
  ];
  for (const { why, text, requested, atMs = 0, cpu } of cases)
    test(`${text}: ${why}`, () => expect(usageOf("cpu", text, { requested, elapsedMs: atMs })).toBe(cpu));

  test("of memory is in bytes, and printed in KiB", () => {
    const used = usageOf("memory", "100Mi", { requested: "1Gi", elapsedMs: 0 });
    expect([used, printUsage("memory", used), printUsage("cpu", 250)]).toEqual([100 * mib, "102400Ki", "250m"]);
  });

  test(`has at most ${curvePointsMax} points on its curve`, () => {
    const points = Array.from({ length: curvePointsMax + 1 }, (_, at) => `${at}s=${at}`).join(",");
    expect(usageOf("cpu", points, { requested: undefined, elapsedMs: 1e9 })).toBe((curvePointsMax - 1) * 1_000);
  });
});
