import { describe, expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { HorizontalPodAutoscaler as AutoscalerV2 } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { HorizontalPodAutoscaler as AutoscalerV2beta2 } from "../../api/autoscaling/v2beta2/horizontal-pod-autoscaler.ts";
import type { MetricSpec } from "../../api/autoscaling/v2beta2/metrics.ts";
import { Event } from "../../api/core/v1/event.ts";
import { systemClock } from "../../base/clock.ts";
import { createClient } from "../../client/client.ts";
import { levelDefault } from "../../machinery/schema/levels.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { templateOf } from "../deployment/deployment.suite.ts";
import { withControllers } from "../scenario.suite.ts";
import { decide, type MetricReading } from "./decision.ts";
import { createMetricsApi } from "./metrics-api.ts";
import { newMemory } from "./pace.ts";
import { horizontalPodAutoscalingController } from "./wire.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const metric: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};
const reading = (replicas: number): MetricReading => ({
  metric,
  measured: { replicas, name: "cpu", status: { type: "Resource" } },
});
const failed: MetricReading = { metric, failure: "no metrics" };

describe("a decision", () => {
  const decided = (current: number, readings: readonly MetricReading[]) =>
    decide({
      autoscaler: { metadata: {}, spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 9 } },
      current,
      readings,
      memory: newMemory(),
      downscaleStabilizationMs: 0,
      nowMs: 0,
    });
  const rows = [
    {
      why: "the metric with the highest recommendation wins",
      current: 4,
      readings: [reading(5), reading(7)],
      replicas: 7,
      reason: "cpu above target",
    },
    {
      why: "fewer if all metrics recommend fewer",
      current: 4,
      readings: [reading(2), reading(3)],
      replicas: 3,
      reason: "All metrics below target",
    },
    {
      why: "more although one metric is missing",
      current: 4,
      readings: [failed, reading(6)],
      replicas: 6,
      reason: "cpu above target",
    },
    {
      why: "not fewer if one metric is missing",
      current: 4,
      readings: [failed, reading(2)],
      replicas: undefined,
      reason: "",
    },
    {
      why: "above the maximum",
      current: 12,
      readings: [],
      replicas: 9,
      reason: "Current number of replicas above Spec.MaxReplicas",
    },
    {
      why: "below the minimum",
      current: 1,
      readings: [],
      replicas: 2,
      reason: "Current number of replicas below Spec.MinReplicas",
    },
    { why: "zero replicas turn it off", current: 0, readings: [], replicas: 0, reason: "" },
  ];
  for (const { why, current, readings, replicas, reason } of rows) {
    test(why, () => {
      const decision = decided(current, readings);
      expect([decision.replicas, decision.reason]).toEqual([replicas, reason]);
    });
  }
  test("reports why it cannot be made", () => {
    const { conditions, events, failure } = decided(4, [failed]);
    expect(failure).toBe("invalid metrics (1 invalid out of 1), first error is: no metrics");
    expect(conditions[0]).toMatchObject({ type: "ScalingActive", status: "False", reason: "FailedGetResourceMetric" });
    expect(events.map(({ reason }) => reason)).toEqual(["FailedGetResourceMetric", "FailedComputeMetricsReplicas"]);
  });
});

describe("metrics", () => {
  const asked: string[] = [];
  const answers: Record<string, unknown> = {
    "/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods": {
      items: [
        {
          metadata: { name: "a" },
          timestamp: "2021-05-01T00:00:00Z",
          window: "30s",
          containers: [
            { name: "x", usage: { cpu: "250m" } },
            { name: "y", usage: { cpu: "1" } },
          ],
        },
        { metadata: { name: "b" }, containers: [{ name: "x", usage: { memory: "1Mi" } }] },
      ],
    },
    "/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/queue": { items: [{ value: "3" }, { value: "1500m" }] },
  };
  const fetch = async (path: string) => {
    asked.push(path);
    const answer = answers[path.split("?")[0] ?? ""];
    return answer === undefined ? new Response("gone", { status: 404 }) : Response.json(answer);
  };
  const api = createMetricsApi(createClient({ fetch, vocabulary: kubernetes, clock: systemClock, userAgent: "test" }));

  test("of resources are summed over containers; a pod with a part missing is left out", async () => {
    const all = await api.resource("ns", "app=x", "cpu");
    expect([...all]).toEqual([["a", { milli: 1250, atMs: Date.parse("2021-05-01T00:00:00Z"), windowMs: 30_000 }]]);
    expect((await api.resource("ns", "app=x", "cpu", "x")).get("a")?.milli).toBe(250);
    expect(asked.at(-1)).toContain("labelSelector=app%3Dx");
  });
  test("external metrics have plain values", async () =>
    expect(await api.external("ns", "queue", "")).toEqual([3_000, 1_500]));
  test("that are not served are a failure", async () => {
    await expect(api.pods("ns", "app=x", "hits", "")).rejects.toThrow();
    await expect(api.resource("other", "app=x", "cpu")).rejects.toThrow(
      "unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)",
    );
  });
});

describe("horizontalpodautoscaling", () => {
  /** That the controllers of the level read and write. */
  const HorizontalPodAutoscaler = levelDefault === "1.21" ? AutoscalerV2beta2 : AutoscalerV2;
  const namespace = "default";
  const ref = { namespace, name: "h" };
  const deployment = {
    metadata: { name: "d", namespace },
    spec: { replicas: 1, selector: { matchLabels: { app: "x" } }, template: templateOf("i") },
  };
  const autoscaler = { metadata: { ...ref }, spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 5 } };

  test("scales a target to within its limits, then reports missing metrics", () =>
    withControllers(
      [horizontalPodAutoscalingController],
      async ({ create, until, untilAll }) => {
        await create(Deployment, deployment);
        await create(HorizontalPodAutoscaler, autoscaler);
        await until(Deployment, { namespace, name: "d" }, ({ spec }) => spec?.replicas === 3);
        const reasonOf = ({ status }: AutoscalerV2, type: string) =>
          status?.conditions?.find((condition) => condition.type === type)?.reason;
        const found = await until(
          HorizontalPodAutoscaler,
          ref,
          (each) => reasonOf(each, "ScalingActive") === "FailedGetResourceMetric",
        );
        expect(found.status).toMatchObject({ currentReplicas: 3, desiredReplicas: 3 });
        expect(found.status?.conditions?.find(({ type }) => type === "ScalingActive")?.message).toBe(
          "the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.orch.io)",
        );
        expect(found.status?.lastScaleTime).toBeDefined();
        await untilAll(Event, namespace, (all) => all.some(({ reason }) => reason === "SuccessfulRescale"));
      },
      { settings: { horizontalPodAutoscalerSyncPeriodMs: 50 } },
    ));

  test("reports that a target is missing", () =>
    withControllers([horizontalPodAutoscalingController], async ({ create, until }) => {
      await create(HorizontalPodAutoscaler, autoscaler);
      const { status } = await until(
        HorizontalPodAutoscaler,
        ref,
        (each) => (each.status?.conditions ?? []).length > 0,
      );
      expect(status?.conditions).toMatchObject([{ type: "AbleToScale", status: "False", reason: "FailedGetScale" }]);
    }));
});
