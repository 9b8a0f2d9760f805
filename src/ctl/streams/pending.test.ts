import { expect, test } from "vitest";
import { isJustCreated, scheduledWithinMs } from "./pending.ts";

const createdMs = Date.parse("2026-01-01T00:00:00Z");
const pod = { metadata: { creationTimestamp: "2026-01-01T00:00:00Z" }, spec: {}, status: { phase: "Pending" } };

test("nothing is said about a pod without a node until a scheduler has had its time", () => {
  expect(isJustCreated(pod, createdMs + scheduledWithinMs - 1)).toBe(true);
  expect(isJustCreated(pod, createdMs + scheduledWithinMs)).toBe(false);
});

test("what a scheduler reported about a new pod is said at once", () => {
  const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no nodes" }];
  expect(isJustCreated({ ...pod, status: { phase: "Pending", conditions } }, createdMs)).toBe(false);
});
