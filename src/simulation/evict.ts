/** Which pod a node that is short of something ends next, as agents do it. */

import { qosClass } from "../api/core/v1/pod/qos.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { timeText } from "../machinery/values/time.ts";
import type { NodeTrouble } from "./node-trouble.ts";

/** Pods of this priority or more belong to the system and stay. */
const criticalPriority = 2_000_000_000;
const order = ["BestEffort", "Burstable", "Guaranteed"];

/** Undefined: the node is not short of anything, or none of its pods may be ended. */
export function podToEvict(pods: readonly Pod[], { pressures }: NodeTrouble): Pod | undefined {
  if (pressures.size === 0) return undefined;
  const rank = ({ status, spec }: Pod) => order.indexOf(status?.qosClass ?? (spec ? qosClass(spec) : ""));
  const priority = ({ spec }: Pod) => spec?.priority ?? 0;
  return pods
    .filter(
      ({ spec, status, metadata }) =>
        (status?.phase === "Running" || status?.phase === "Pending") &&
        metadata.deletionTimestamp == null &&
        (spec?.priority ?? 0) < criticalPriority,
    )
    .sort(
      (a, b) =>
        rank(a) - rank(b) || priority(a) - priority(b) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1),
    )[0];
}

/** The words of v1.21. */
const resourceNames: Readonly<Record<string, string>> = { memory: "memory", disk: "ephemeral-storage", pid: "pids" };

/** `by`: the agent that the pod names in a condition, and when; undefined: it has no such condition. */
export function evictedStatus(
  { status, metadata }: Pod,
  { pressures }: NodeTrouble,
  by: { readonly agent: string; readonly nowMs: number } | undefined,
): NonNullable<Pod["status"]> {
  const [first = ""] = pressures;
  const message = `The node was low on resource: ${resourceNames[first] ?? first}. `;
  const containerStatuses = (status?.containerStatuses ?? []).map((one) => ({
    ...one,
    ready: false,
    started: false,
    state: one.state?.running === undefined ? (one.state ?? {}) : { terminated: { exitCode: 137, reason: "Error" } },
  }));
  const conditions = (status?.conditions ?? []).map((one) =>
    one.type === "Ready" || one.type === "ContainersReady" ? { ...one, status: "False", reason: "PodFailed" } : one,
  );
  const { generation } = metadata;
  const disrupted =
    by === undefined
      ? []
      : [
          {
            ...{ type: "DisruptionTarget", status: "True", reason: terminationBy(by.agent), message },
            ...(generation === undefined ? {} : { observedGeneration: generation }),
            lastTransitionTime: timeText(by.nowMs),
          },
        ];
  const others = conditions.filter(({ type }) => disrupted.length === 0 || type !== "DisruptionTarget");
  return {
    ...status,
    ...{ phase: "Failed", reason: "Evicted", message, containerStatuses },
    conditions: [...others, ...disrupted],
  };
}

/** "TerminationByKubelet" for the agent "kubelet". */
const terminationBy = (agent: string) => `TerminationBy${agent.slice(0, 1).toUpperCase()}${agent.slice(1)}`;
