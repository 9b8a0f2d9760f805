import { describe, expect, test } from "vitest";
import { inDeletionOrder } from "./deletion-order.ts";
import { type PodParts, podOf } from "./pod.suite.ts";

const costKey = "controller.orch.io/pod-deletion-cost";
const cost = (value: string) => ({ [costKey]: value });
const [early, late] = ["2021-05-01T00:00:00Z", "2021-06-01T00:00:00Z"];

interface Row {
  readonly why: string;
  readonly first: PodParts;
  readonly next: PodParts;
}
const rows: Row[] = [
  {
    why: "a pod without a node comes before one with a node",
    first: { ready: early },
    next: { node: "n", phase: "Pending" },
  },
  { why: "a pending pod comes before one of unknown state", first: { phase: "Pending" }, next: { phase: "Unknown" } },
  { why: "a pod of unknown state comes before a running one", first: { phase: "Unknown" }, next: { phase: "Running" } },
  {
    why: "readiness counts before the cost",
    first: { annotations: cost("100") },
    next: { ready: early, annotations: cost("-100") },
  },
  { why: "the lower cost comes first", first: { annotations: cost("-5") }, next: { annotations: cost("0") } },
  { why: "a missing cost is zero", first: {}, next: { annotations: cost("1") } },
  { why: "an invalid cost is zero", first: { annotations: cost("-1") }, next: { annotations: cost("+7") } },
  { why: "the one that became ready later comes first", first: { ready: late }, next: { ready: early } },
  { why: "the one with more restarts comes first", first: { restarts: 3 }, next: { restarts: 1 } },
  { why: "the newer one comes first", first: { created: late }, next: { created: early } },
];

describe("of two pods", () => {
  for (const { why, first, next } of rows) {
    test(why, () => {
      const pods = [podOf({ ...next, name: "next" }), podOf({ ...first, name: "first" })];
      expect(inDeletionOrder(pods, { costKey }).map(({ metadata }) => metadata.name)).toEqual(["first", "next"]);
    });
  }

  test("the one on the node with more pods comes first", () => {
    const pods = [podOf({ name: "alone", node: "a" }), podOf({ name: "crowded", node: "b" })];
    const related = [...pods, podOf({ name: "other", node: "b" })];
    expect(inDeletionOrder(pods, { related })[0]?.metadata.name).toBe("crowded");
  });

  test("costs are ignored without the gate", () => {
    const pods = [podOf({ name: "a" }), podOf({ name: "b", annotations: cost("-5") })];
    expect(inDeletionOrder(pods)[0]?.metadata.name).toBe("a");
  });
});
