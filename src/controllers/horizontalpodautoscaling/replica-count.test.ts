import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import { podOf } from "../parts/pods/pod.suite.ts";
import type { PodMetrics } from "./metrics-api.ts";
import { countByAverage, countByShare, countByUtilization, countByValue } from "./replica-count.ts";

const nowMs = Date.parse("2021-05-01T10:00:00Z");
const settings = {
  tolerance: { up: 0.1, down: 0.1 },
  cpuInitializationPeriodMs: 300_000,
  initialReadinessDelayMs: 30_000,
  nowMs,
};
const ready = "2021-05-01T01:00:00Z";

/** Each requests one core. */
const podNamed = (name: string, phase = "Running"): Pod => {
  const pod = podOf({ name, phase, ready });
  return {
    ...pod,
    spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] },
    status: { ...pod.status, startTime: "2021-05-01T00:59:00Z" },
  };
};
const metricsOf = (values: Record<string, number>): PodMetrics =>
  new Map(Object.entries(values).map(([name, milli]) => [name, { milli, atMs: nowMs, windowMs: 60_000 }]));
const target = { resource: "cpu", utilization: 50 };

describe("by utilization", () => {
  const three = ["a", "b", "c"].map((name) => podNamed(name));
  const rows: { why: string; pods: Pod[]; metrics: Record<string, number>; replicas: number }[] = [
    { why: "above the target: more", pods: three, metrics: { a: 900, b: 900, c: 900 }, replicas: 6 },
    { why: "below the target: fewer", pods: three, metrics: { a: 100, b: 100, c: 100 }, replicas: 1 },
    { why: "within the tolerance: the same", pods: three, metrics: { a: 540, b: 540, c: 540 }, replicas: 3 },
    {
      why: "a missing pod counts as busy when scaling down",
      pods: three,
      metrics: { a: 100, b: 100 },
      replicas: 3,
    },
    {
      why: "a missing pod counts as idle when scaling up",
      pods: three,
      metrics: { a: 900, b: 900 },
      replicas: 4,
    },
    {
      why: "an unready pod counts as idle when scaling up",
      pods: [podNamed("a"), podNamed("b"), podNamed("c", "Pending")],
      metrics: { a: 900, b: 900 },
      replicas: 4,
    },
    {
      why: "a failed pod does not count",
      pods: [podNamed("a"), podNamed("b"), podNamed("c", "Failed")],
      metrics: { a: 900, b: 900, c: 0 },
      replicas: 4,
    },
  ];
  for (const { why, pods, metrics, replicas } of rows) {
    test("requests of sidecars count, and those of a whole pod in place of all", () => {
      const [pod] = three as [Pod];
      const requests = { cpu: "1" };
      const sidecar = { name: "s", image: "i", restartPolicy: "Always", resources: { requests } };
      const utilizationOf = (spec: object) =>
        countByUtilization(
          1,
          [{ ...pod, spec: { ...pod.spec, ...spec } } as Pod],
          metricsOf({ a: 1000 }),
          target,
          settings,
        ).utilization;
      expect(utilizationOf({})).toBe(100);
      expect(utilizationOf({ initContainers: [sidecar] })).toBe(50);
      expect(utilizationOf({ initContainers: [{ ...sidecar, restartPolicy: undefined }] })).toBe(100);
      expect(utilizationOf({ initContainers: [sidecar], resources: { requests: { cpu: "4" } } })).toBe(25);
    });

    test(why, () => expect(countByUtilization(3, pods, metricsOf(metrics), target, settings).replicas).toBe(replicas));
  }
  test("reports the measured value", () => {
    const found = countByUtilization(3, three, metricsOf({ a: 300, b: 600, c: 900 }), target, settings);
    expect(found).toEqual({ replicas: 4, averageMilli: 600, utilization: 60 });
  });
  test("needs a request", () => {
    const bare = [podOf({ name: "a", ready })];
    expect(() => countByUtilization(1, bare, metricsOf({ a: 1 }), target, settings)).toThrow("missing request for cpu");
  });
  test("needs pods, at least one of them ready", () => {
    expect(() => countByUtilization(1, [], metricsOf({ a: 1 }), target, settings)).toThrow("no pods returned");
    const pending = [podNamed("a", "Pending")];
    expect(() => countByUtilization(1, pending, metricsOf({ a: 1 }), target, settings)).toThrow("any ready pods");
  });
  test("a pod that has just started is not measured", () => {
    const pod = podNamed("b");
    const young = {
      ...pod,
      status: {
        ...pod.status,
        startTime: "2021-05-01T09:59:30Z",
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2021-05-01T09:59:40Z" }],
      },
    };
    const found = countByUtilization(2, [podNamed("a"), young], metricsOf({ a: 500, b: 5_000 }), target, settings);
    expect(found.replicas).toBe(2);
  });
});

test("by an average value", () => {
  const pods = ["a", "b"].map((name) => podNamed(name));
  const goal = { resource: "", milli: 10_000 };
  expect(countByAverage(2, pods, metricsOf({ a: 20_000, b: 30_000 }), goal, settings)).toEqual({
    replicas: 5,
    averageMilli: 25_000,
  });
});

test("by one value for all", () => {
  const pods = ["a", "b"].map((name) => podNamed(name));
  expect([
    countByValue(2, 1.5, pods, { up: 0.1, down: 0.1 }),
    countByValue(2, 1.05, pods, { up: 0.1, down: 0.1 }),
    countByValue(0, 2.5, [], { up: 0.1, down: 0.1 }),
  ]).toEqual([3, 2, 3]);
  expect([
    countByShare(2, 50_000, 10_000, { up: 0.1, down: 0.1 }),
    countByShare(5, 50_000, 10_000, { up: 0.1, down: 0.1 }),
  ]).toEqual([5, 5]);
});

test("an autoscaler may tolerate more in one direction than in the other", () => {
  const pods = [podOf({ name: "a", ready, phase: "Running" }), podOf({ name: "b", ready, phase: "Running" })];
  const tolerance = { up: 0, down: 0.5 };
  expect([countByValue(2, 1.05, pods, tolerance), countByValue(2, 0.5, pods, tolerance)]).toEqual([3, 2]);
  expect(countByValue(2, 0.4, pods, tolerance)).toBe(1);
});
