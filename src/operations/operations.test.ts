import { expect, test } from "vitest";
import { applyMergePatch } from "../machinery/patch/merge-patch.ts";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { cordonPatch, pausePatch, restartPatch, suspendPatch } from "./acts.ts";
import { drainedPod, evictionOf } from "./drain.ts";
import { controllerOf, Dependents, ownerOf } from "./relations.ts";
import { reviewRequest, verdictOf } from "./review.ts";

test("a restart changes the template by the time, to the second, and keeps its annotations", () => {
  const workload = { spec: { template: { metadata: { annotations: { a: "b" } } } } };
  const at = Date.UTC(2021, 5, 1, 12, 0, 0, 123);
  expect(applyMergePatch(workload, restartPatch(kubernetes, at))).toEqual({
    spec: {
      template: { metadata: { annotations: { a: "b", "kubectl.kubernetes.io/restartedAt": "2021-06-01T12:00:00Z" } } },
    },
  });
});

test("cordoning and pausing are taken back without a trace", () => {
  for (const patch of [cordonPatch, pausePatch]) {
    const changed = applyMergePatch({ spec: { podCIDR: "x" } }, patch(true));
    expect(changed).not.toEqual({ spec: { podCIDR: "x" } });
    expect(applyMergePatch(changed, patch(false))).toEqual({ spec: { podCIDR: "x" } });
  }
  expect(suspendPatch(false)).toEqual({ spec: { suspend: false } });
});

const owned = (uid: string, ...references: object[]) => ({ metadata: { uid, ownerReferences: references } });

test("the owner that controls an object comes before others, and only it is the controller", () => {
  const [first, second] = [{ uid: "1" }, { uid: "2", controller: true }];
  expect([ownerOf(owned("x", first, second)), controllerOf(owned("x", first, second))]).toEqual([second, second]);
  expect([ownerOf(owned("x", first)), controllerOf(owned("x", first))]).toEqual([first, undefined]);
  expect([ownerOf({}), ownerOf({ metadata: { ownerReferences: "?" } })]).toEqual([undefined, undefined]);
});

test("dependents are found by each of their owners, once", () => {
  const dependents = new Dependents<string>();
  dependents.add(owned("a", { uid: "1" }, { uid: "1" }, { uid: "2" }), "a");
  dependents.add(owned("b", { uid: "1" }), "b");
  expect(["1", "2", "3"].map((uid) => dependents.of(uid))).toEqual([["a", "b"], ["a"], []]);
});

test("what becomes of a pod depends on who made it, whether it runs and what it holds", () => {
  const mirror = "kubernetes.io/config.mirror";
  const plain = { isOfNode: false, isDaemon: false, isOver: false, hasLocalData: false, controller: undefined };
  expect(drainedPod({}, mirror)).toEqual(plain);
  expect(drainedPod({ status: { phase: "Failed" } }, mirror).isOver).toBe(true);
  expect(drainedPod({ metadata: { annotations: { [mirror]: "x" } } }, mirror).isOfNode).toBe(true);
  expect(drainedPod({ spec: { volumes: [{ emptyDir: {} }] } }, mirror).hasLocalData).toBe(true);
  const controller = { kind: "DaemonSet", controller: true };
  expect(drainedPod(owned("x", controller), mirror)).toEqual({ ...plain, isDaemon: true, controller });
});

test("an eviction names its pod, and has options only if some are given", () => {
  const ref = { name: "p", namespace: "n" };
  expect(evictionOf(ref)).toEqual({ apiVersion: "policy/v1beta1", kind: "Eviction", metadata: ref });
  expect(evictionOf(ref, { gracePeriodSeconds: 0 })).toMatchObject({ deleteOptions: { gracePeriodSeconds: 0 } });
});

test("a review is posted to its collection, and its answer may be anything", () => {
  const address = { group: "authorization.orch.io", version: "v1", resource: "reviews", kind: "Review" };
  expect(reviewRequest({ ...address, namespaced: false }, { user: "ann" })).toEqual({
    path: "/apis/authorization.orch.io/v1/reviews",
    body: { apiVersion: "authorization.orch.io/v1", kind: "Review", spec: { user: "ann" } },
  });
  expect(verdictOf({ status: { allowed: true, reason: "r", evaluationError: "e" } })).toEqual({
    isAllowed: true,
    reason: "r",
    problem: "e",
  });
  for (const answer of [undefined, null, "x", {}, { status: [] }])
    expect(verdictOf(answer)).toEqual({ isAllowed: undefined, reason: "", problem: "" });
});
