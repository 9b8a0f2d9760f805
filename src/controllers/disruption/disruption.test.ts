import { describe, expect, test } from "vitest";
import { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { Event } from "../../api/core/v1/event.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { PodDisruptionBudgetStatus } from "../../api/policy/v1/budget-spec.ts";
import { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import { templateOf } from "../deployment/deployment.suite.ts";
import { deploymentController } from "../deployment/wire.ts";
import { podOf } from "../parts/pods/pod.suite.ts";
import { replicaSetController } from "../replicaset/wire.ts";
import { withControllers } from "../scenario.suite.ts";
import { budgetStatus, deletionTimeoutMs, disruptedPods, expectedPods } from "./reconcile.ts";
import { disruptionController } from "./wire.ts";

const ready = "2021-05-01T00:00:00Z";
const nowMs = Date.parse("2021-05-01T00:10:00Z");
const budgetOf = (spec: PodDisruptionBudget["spec"], status?: PodDisruptionBudgetStatus): PodDisruptionBudget => ({
  metadata: { name: "b", namespace: "ns", generation: 1 },
  ...(spec ? { spec } : {}),
  ...(status ? { status } : {}),
});

describe("how many pods must be healthy", () => {
  const rows = [
    { why: "a number", spec: { minAvailable: 2 }, expected: { pods: 3, healthy: 2 } },
    {
      why: "a percentage of the desired number of the controllers, rounded up",
      spec: { minAvailable: "50%" },
      expected: { pods: 5, healthy: 3 },
    },
    { why: "all except a number", spec: { maxUnavailable: 1 }, expected: { pods: 5, healthy: 4 } },
    { why: "all except a percentage, rounded up", spec: { maxUnavailable: "34%" }, expected: { pods: 5, healthy: 3 } },
    { why: "none if all may be unavailable", spec: { maxUnavailable: 9 }, expected: { pods: 5, healthy: 0 } },
    { why: "a budget without either field", spec: {}, expected: { pods: 0, healthy: 0 } },
  ];
  for (const { why, spec, expected } of rows)
    test(why, () => expect(expectedPods(budgetOf(spec), 3, 5)).toEqual(expected));
});

describe("pods that are evicted", () => {
  const at = (agoMs: number) => new Date(nowMs - agoMs).toISOString().replace(".000", "");
  const status = (disrupted: Record<string, string>) => ({
    disruptedPods: disrupted,
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  });
  const pods = [podOf({ name: "a", ready }), podOf({ name: "b", ready }), podOf({ name: "c", ready, deleting: true })];

  test("do not count until they are deleted, or until that takes too long", () => {
    const budget = budgetOf({ minAvailable: 1 }, status({ a: at(10_000), b: at(deletionTimeoutMs + 1_000), c: at(0) }));
    const disrupted = disruptedPods(budget, pods, nowMs);
    expect(disrupted.pods).toEqual({ a: at(10_000) });
    expect(disrupted.late.map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(disrupted.reviewInMs).toBe(deletionTimeoutMs - 10_000 + 1);
    const counted = budgetStatus(budget, pods, { pods: 3, healthy: 1 }, disrupted, nowMs);
    expect([counted.currentHealthy, counted.disruptionsAllowed]).toEqual([1, 0]);
  });
});

test("the condition says whether pods may be disrupted, and keeps its time", () => {
  const none = { pods: {}, late: [] };
  const status = budgetStatus(budgetOf({}), [podOf({ ready })], { pods: 1, healthy: 0 }, none, nowMs);
  const condition = {
    type: "DisruptionAllowed",
    status: "True",
    reason: "SufficientPods",
    message: "",
    observedGeneration: 1,
    lastTransitionTime: "2021-05-01T00:10:00Z",
  };
  expect(status.conditions).toEqual([condition]);
  const later = budgetStatus(budgetOf({}, status), [podOf({ ready })], { pods: 1, healthy: 0 }, none, nowMs + 60_000);
  expect(later.conditions).toEqual([condition]);
  const empty = budgetStatus(budgetOf({}, status), [], { pods: 0, healthy: 0 }, none, nowMs + 60_000);
  expect(empty.conditions?.[0]).toMatchObject({ status: "False", lastTransitionTime: "2021-05-01T00:11:00Z" });
});

describe("disruption", () => {
  const namespace = "default";
  const ref = { namespace, name: "b" };
  const selector = { matchLabels: { app: "x" } };

  test("a percentage refers to the desired number of the deployment above the pods", () =>
    withControllers([deploymentController, replicaSetController, disruptionController], async ({ create, until }) => {
      const spec = { replicas: 4, selector, template: templateOf("i") };
      await create(Deployment, { metadata: { name: "d", namespace }, spec });
      await create(PodDisruptionBudget, { metadata: { ...ref }, spec: { selector, minAvailable: "50%" } });
      const { status } = await until(PodDisruptionBudget, ref, (budget) => budget.status?.expectedPods === 4);
      expect(status).toMatchObject({
        desiredHealthy: 2,
        currentHealthy: 0,
        disruptionsAllowed: 0,
        observedGeneration: 1,
      });
    }));

  test("pods without a controller are refused for a percentage, but not for a number", () =>
    withControllers([disruptionController], async ({ client, create, until }) => {
      await create(Pod, {
        metadata: { name: "p", namespace, labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      });
      await create(PodDisruptionBudget, { metadata: { ...ref }, spec: { selector, maxUnavailable: 1 } });
      const reason = ({ status }: PodDisruptionBudget) => status?.conditions?.[0]?.reason;
      await until(PodDisruptionBudget, ref, (budget) => reason(budget) === "SyncFailed");
      await client.of(PodDisruptionBudget).patch(ref, { spec: { maxUnavailable: null, minAvailable: 1 } });
      await until(PodDisruptionBudget, ref, (budget) => reason(budget) === "InsufficientPods");
    }));

  test("pods of a controller without scale are refused for a percentage, with one event", () =>
    withControllers([disruptionController], async ({ create, until, untilAll }) => {
      const set = await create(DaemonSet, {
        metadata: { name: "d", namespace },
        spec: { selector, template: templateOf("i") },
      });
      const owner = {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        name: "d",
        uid: set.metadata.uid ?? "",
        controller: true,
      };
      await create(Pod, {
        metadata: { name: "p", namespace, labels: { app: "x" }, ownerReferences: [owner] },
        spec: { containers: [{ name: "c", image: "i" }] },
      });
      await create(PodDisruptionBudget, { metadata: { ...ref }, spec: { selector, maxUnavailable: 1 } });
      const { status } = await until(PodDisruptionBudget, ref, (budget) => budget.status?.conditions !== undefined);
      expect(status).toMatchObject({ disruptionsAllowed: 0, conditions: [{ status: "False", reason: "SyncFailed" }] });
      const events = await untilAll(Event, namespace, (all) => all.length > 0);
      expect(new Set(events.map(({ reason }) => reason))).toEqual(new Set(["CalculateExpectedPodCountFailed"]));
    }));
});
