import { describe, expect, test } from "vitest";
import { limit, newMemory, type PaceInput, recordChange, stabilize } from "./pace.ts";

const base: PaceInput = {
  current: 5,
  desired: 5,
  min: 1,
  max: 100,
  behavior: undefined,
  downscaleStabilizationMs: 300_000,
  nowMs: 1_000_000,
};

describe("stabilization", () => {
  test("scaling down uses the highest recent recommendation", () => {
    const memory = newMemory();
    expect(stabilize(memory, { ...base, desired: 8 }).replicas).toBe(8);
    const soon = stabilize(memory, { ...base, desired: 2, nowMs: base.nowMs + 299_000 });
    expect([soon.replicas, soon.reason]).toEqual([8, "ScaleDownStabilized"]);
    const later = stabilize(memory, { ...base, desired: 2, nowMs: base.nowMs + 600_000 });
    expect([later.replicas, later.reason]).toEqual([2, "ReadyForNewScale"]);
  });
  test("a behavior may also delay scaling up", () => {
    const memory = newMemory();
    const behavior = { scaleUp: { stabilizationWindowSeconds: 60 } };
    stabilize(memory, { ...base, behavior, desired: 6 });
    const soon = stabilize(memory, { ...base, behavior, desired: 9, nowMs: base.nowMs + 30_000 });
    expect([soon.replicas, soon.reason]).toEqual([6, "ScaleUpStabilized"]);
    expect(stabilize(memory, { ...base, behavior, desired: 9, nowMs: base.nowMs + 120_000 }).replicas).toBe(9);
  });
});

describe("limits", () => {
  const policy = (type: string, value: number, periodSeconds = 60) => ({ type, value, periodSeconds });
  const up = (...policies: ReturnType<typeof policy>[]) => ({ scaleUp: { selectPolicy: "Max", policies } });
  const down = (...policies: ReturnType<typeof policy>[]) => ({ scaleDown: { selectPolicy: "Max", policies } });
  const rows: { why: string; input: Partial<PaceInput>; limited: [number, string] }[] = [
    { why: "within range", input: { desired: 7 }, limited: [7, "DesiredWithinRange"] },
    { why: "at most double", input: { desired: 50 }, limited: [10, "ScaleUpLimit"] },
    { why: "from one to four", input: { current: 1, desired: 50 }, limited: [4, "ScaleUpLimit"] },
    { why: "at most the maximum", input: { desired: 50, max: 8 }, limited: [8, "TooManyReplicas"] },
    { why: "at least the minimum", input: { desired: 1, min: 3 }, limited: [3, "TooFewReplicas"] },
    {
      why: "the pods of a policy in each period",
      input: { desired: 50, behavior: up(policy("Pods", 2)) },
      limited: [7, "ScaleUpLimit"],
    },
    {
      why: "the more generous policy",
      input: { desired: 50, behavior: up(policy("Pods", 2), policy("Percent", 100)) },
      limited: [10, "ScaleUpLimit"],
    },
    {
      why: "the stricter policy",
      input: {
        desired: 50,
        behavior: { scaleUp: { ...up(policy("Pods", 2), policy("Percent", 100)).scaleUp, selectPolicy: "Min" } },
      },
      limited: [7, "ScaleUpLimit"],
    },
    {
      why: "scaling up is disabled",
      input: { desired: 50, behavior: { scaleUp: { selectPolicy: "Disabled" } } },
      limited: [5, "ScaleUpLimit"],
    },
    {
      why: "fewer pods by a policy in each period",
      input: { current: 10, desired: 1, behavior: down(policy("Percent", 10)) },
      limited: [9, "ScaleDownLimit"],
    },
    {
      why: "scaling down is disabled",
      input: { desired: 1, behavior: { scaleDown: { selectPolicy: "Disabled" } } },
      limited: [5, "ScaleDownLimit"],
    },
  ];
  for (const { why, input, limited } of rows) {
    test(why, () => {
      const { replicas, reason } = limit(newMemory(), { ...base, ...input });
      expect([replicas, reason]).toEqual(limited);
    });
  }
  test("changes within the same period count", () => {
    const memory = newMemory();
    recordChange(memory, 3, 5, base.nowMs - 10_000);
    const behavior = up(policy("Pods", 4));
    expect(limit(memory, { ...base, desired: 50, behavior }).replicas).toBe(7);
    expect(limit(memory, { ...base, desired: 50, behavior, nowMs: base.nowMs + 60_000 }).replicas).toBe(9);
  });
});
