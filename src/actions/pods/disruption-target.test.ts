import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import { withDisruptionTarget } from "./disruption-target.ts";

const [before, now] = ["2021-01-01T00:00:00Z", "2021-01-02T00:00:00Z"];
const pod = (...conditions: object[]) => ({ metadata: { name: "p" }, status: { conditions } }) as Pod;
const ready = { type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: null };

test("a pod that is evicted has the condition once, and keeps the time of an earlier eviction", () => {
  const marked = withDisruptionTarget(pod(ready), now);
  expect(marked.status?.conditions).toMatchObject([
    ready,
    { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", lastTransitionTime: now },
  ]);
  const earlier = pod({ type: "DisruptionTarget", status: "True", lastTransitionTime: before }, ready);
  expect(withDisruptionTarget(earlier, now).status?.conditions).toMatchObject([{ lastTransitionTime: before }, ready]);
  const failed = pod({ type: "DisruptionTarget", status: "False", lastTransitionTime: before });
  expect(withDisruptionTarget(failed, now).status?.conditions).toMatchObject([{ lastTransitionTime: now }]);
});
