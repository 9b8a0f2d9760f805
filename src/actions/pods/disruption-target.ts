/** The condition of a pod that is about to be evicted, by which others know why it ends. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { copyJson } from "../../machinery/json/json-value.ts";

const type = "DisruptionTarget";

/** A copy of the pod with the condition. It is the last one; a pod that has it already keeps the time. */
export function withDisruptionTarget(pod: Pod, now: string): Pod {
  const next = copyJson(pod);
  const before = next.status?.conditions ?? [];
  const known = before.find((condition) => condition.type === type);
  const condition = {
    type,
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: known?.status === "True" ? (known.lastTransitionTime ?? now) : now,
    reason: "EvictionByEvictionAPI",
    message: "the pod is evicted through the API",
  };
  const conditions =
    known === undefined ? [...before, condition] : before.map((one) => (one === known ? condition : one));
  next.status = { ...next.status, conditions };
  return next;
}
