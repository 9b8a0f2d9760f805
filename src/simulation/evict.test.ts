import { expect, test } from "vitest";
import type { Pod } from "../api/core/v1/pod.ts";
import { evictedStatus } from "./evict.ts";
import { noTrouble } from "./node-trouble.ts";

test("a pod that its node ends names the agent in a condition where there are such conditions", () => {
  const pod: Pod = {
    metadata: { name: "p", generation: 2 },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
  const trouble = { ...noTrouble, pressures: new Set(["memory"] as const) };
  const conditions = (by: Parameters<typeof evictedStatus>[2]) => evictedStatus(pod, trouble, by).conditions;
  expect(conditions(undefined)).toEqual([{ type: "Ready", status: "False", reason: "PodFailed" }]);
  expect(conditions({ agent: "kubelet", nowMs: 0 })?.[1]).toEqual({
    ...{ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet", observedGeneration: 2 },
    message: "The node was low on resource: memory. ",
    lastTransitionTime: "1970-01-01T00:00:00Z",
  });
});
