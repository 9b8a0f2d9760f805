import { describe, expect, test } from "vitest";
import { podOf } from "../parts/pods/pod.suite.ts";
import { burstReplicasMax, planReplicas, type ReplicaOwner, replicaStatus, reviewInMs } from "./reconcile.ts";

const readyAt = "2021-05-01T00:00:00Z";
const nowMs = Date.parse("2021-05-01T00:00:05Z");
const owner = (replicas: number, minReadySeconds = 0): ReplicaOwner => ({
  metadata: { name: "rs", generation: 3 },
  spec: { replicas, minReadySeconds, template: { metadata: { labels: { app: "x" } } } },
});

describe("pods", () => {
  test("missing pods are created, at most a burst at a time", () => {
    expect(planReplicas(owner(3), [podOf({})], {})).toEqual({ action: "create", count: 2 });
    expect(planReplicas(owner(10_000), [], {})).toEqual({ action: "create", count: burstReplicasMax });
  });
  test("the desired number needs no change", () =>
    expect(planReplicas(owner(1), [podOf({})], {})).toEqual({ action: "none" }));
  test("of too many pods the cheapest are deleted", () => {
    const pods = [podOf({ name: "ready", ready: readyAt }), podOf({ name: "pending", phase: "Pending" })];
    expect(planReplicas(owner(1), pods, {})).toEqual({ action: "delete", pods: [pods[1]] });
  });
});

describe("status", () => {
  const pods = [podOf({ labels: { app: "x", more: "y" }, ready: readyAt }), podOf({ labels: { app: "other" } })];

  test("counts pods that have all labels, are ready and available", () => {
    expect(replicaStatus(owner(2), pods, { nowMs })).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      observedGeneration: 3,
    });
  });
  test("a pod that is ready for too short a time is not available, and is checked again later", () => {
    expect(replicaStatus(owner(2, 10), pods, { nowMs }).availableReplicas).toBeUndefined();
    expect(reviewInMs(owner(2, 10), pods, nowMs)).toBe(5_001);
  });
  test("a failure to create sets a condition, which stays as it was until it is over", () => {
    const status = replicaStatus(owner(3), pods, { nowMs, failure: "exceeded quota" });
    const condition = {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: "exceeded quota",
      lastTransitionTime: "2021-05-01T00:00:05Z",
    };
    expect(status.conditions).toEqual([condition]);
    const failing = { ...owner(3), status };
    const again = replicaStatus(failing, pods, { nowMs: nowMs + 60_000, failure: "another" });
    expect(again.conditions).toEqual([condition]);
    expect(replicaStatus(failing, pods, { nowMs }).conditions).toBeUndefined();
  });
  test("a failure to delete has its own reason", () => {
    expect(replicaStatus(owner(1), pods, { nowMs, failure: "no" }).conditions?.[0]?.reason).toBe("FailedDelete");
  });
});
