import { describe, expect, test } from "vitest";
import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2beta2/horizontal-pod-autoscaler.ts";
import type { MetricSpec } from "../../api/autoscaling/v2beta2/metrics.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { carriedOut } from "../plan.suite.ts";
import type { MetricReading } from "./decision.ts";
import type { ObservedScale } from "./observe.ts";
import { newMemory } from "./pace.ts";
import { planAutoscaler } from "./reconcile.ts";

const address = { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", namespaced: true };
const metric: MetricSpec = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } };
const measured = (replicas: number): MetricReading => ({
  metric,
  measured: { replicas, name: "cpu", status: { type: "Resource" } },
});
const autoscaler: HorizontalPodAutoscaler = {
  metadata: { name: "h", namespace: "ns" },
  spec: { scaleTargetRef: { kind: "Deployment", name: "d" }, minReplicas: 1, maxReplicas: 9 },
  status: { currentReplicas: 2, desiredReplicas: 2, currentMetrics: [], conditions: [] },
};
const observed = (replicas: number, readings: readonly MetricReading[], lacksSelector = false): ObservedScale => ({
  target: { address, scale: { metadata: { name: "d", namespace: "ns" }, spec: { replicas } } },
  readings,
  lacksSelector,
});
const pass = async (seen: ObservedScale, answer?: Parameters<typeof carriedOut>[1], memory = newMemory()) => {
  const input = {
    kind: HorizontalPodAutoscaler,
    autoscaler,
    observed: seen,
    memory,
    downscaleStabilizationMs: 300_000,
    nowMs: 0,
  };
  const { log, sent, error } = await carriedOut(planAutoscaler(input), answer);
  const status = (sent.at(-1) as HorizontalPodAutoscaler | undefined)?.status;
  return { log, sent, error, status };
};
const reasons = (status: HorizontalPodAutoscaler["status"]) =>
  status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);

describe("a target", () => {
  test("is scaled to what its metrics recommend, and the status says so", async () => {
    const { log, sent, status } = await pass(observed(2, [measured(4)]));
    expect(log).toEqual([
      "put scale of deployments ns/d",
      "Normal SuccessfulRescale: New size: 4; reason: cpu above target",
      "updateStatus horizontalpodautoscalers ns/h",
    ]);
    expect(sent[0]).toMatchObject({ spec: { replicas: 4 } });
    expect(status).toMatchObject({ currentReplicas: 2, desiredReplicas: 4, lastScaleTime: "1970-01-01T00:00:00Z" });
    expect(reasons(status)).toEqual([
      "AbleToScale=True SucceededRescale",
      "ScalingActive=True ValidMetricFound",
      "ScalingLimited=False DesiredWithinRange",
    ]);
  });

  test("that is right is left alone", async () => {
    const { log, status } = await pass(observed(2, [measured(2)]));
    expect(log).toEqual(["updateStatus horizontalpodautoscalers ns/h"]);
    expect(status).toMatchObject({ desiredReplicas: 2 });
  });

  test("is not scaled down by the first recommendation of a new autoscaler", async () => {
    const memory = newMemory();
    const { log } = await pass(observed(5, [measured(1)]), undefined, memory);
    expect(log).toEqual(["updateStatus horizontalpodautoscalers ns/h"]);
    expect(memory.recommendations.map(({ replicas }) => replicas)).toEqual([5, 1]);
  });

  test("that refuses is reported, and the old number stays desired", async () => {
    const { log, error, status } = await pass(observed(2, [measured(4)]), (request) => {
      if (request.startsWith("put")) throw new StatusError("Forbidden", "not yours");
      return undefined;
    });
    expect(log[1]).toBe("Warning FailedRescale: New size: 4; reason: cpu above target; error: not yours");
    expect([error, status?.desiredReplicas]).toEqual([undefined, 2]);
    expect(reasons(status)?.[0]).toBe("AbleToScale=False FailedUpdateScale");
  });

  test("that cannot be read is reported", async () => {
    const { log, status } = await pass({ failure: "no matches" });
    expect(log).toEqual(["Warning FailedGetScale: no matches", "updateStatus horizontalpodautoscalers ns/h"]);
    expect(reasons(status)).toEqual(["AbleToScale=False FailedGetScale"]);
    expect(status).toMatchObject({ currentReplicas: 2, desiredReplicas: 2 });
  });

  test("without a selector has no metrics", async () => {
    const { log, status } = await pass(observed(2, [{ metric, failure: "selector is required" }], true));
    expect(log.slice(0, 2)).toEqual([
      "Warning SelectorRequired: selector is required",
      "Warning FailedGetResourceMetric: selector is required",
    ]);
    expect(reasons(status)?.[1]).toMatch(/^ScalingActive=False/);
  });
});

test("a status that cannot be written is left to the next pass", async () => {
  const { error } = await pass(observed(2, [measured(2)]), () => {
    throw new StatusError("Conflict", "changed");
  });
  expect(error).toBeUndefined();
});
