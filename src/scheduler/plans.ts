/** What follows from a decision, as plans: a binding, or the reason why there is none. */

import { Binding } from "../api/core/v1/binding.ts";
import { PersistentVolumeClaim } from "../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { markDisrupted } from "../controllers/parts/pods/disruption.ts";
import { create, type Plan, patch, remove } from "../controllers/plan.ts";
import { timeText } from "../machinery/values/time.ts";
import type { KnownPod } from "./known-pod.ts";
import type { Preemption } from "./preempt.ts";

export function bindingPlan(
  { pod, namespace }: KnownPod,
  node: string,
  waiting: readonly PersistentVolumeClaim[],
  selectedNode: string,
): Plan {
  const { name = "", uid } = pod.metadata;
  const binding: Binding = {
    metadata: { name, namespace, ...(uid === undefined ? {} : { uid }) },
    target: { kind: "Node", name: node },
  };
  const claims = waiting.map(({ metadata }) =>
    patch(
      PersistentVolumeClaim,
      { namespace, name: metadata.name ?? "" },
      { metadata: { annotations: { [selectedNode]: node } } },
    ),
  );
  return {
    about: pod,
    writes: [
      ...claims,
      create(Binding, binding, { tolerates: ["NotFound", "NamespaceTerminating"], ignoresAnswer: true }),
    ],
    events: [{ type: "Normal", reason: "Scheduled", message: `Successfully assigned ${namespace}/${name} to ${node}` }],
  };
}

interface Told {
  readonly nowMs: number;
  readonly tellsGeneration: boolean;
  /** Whether pods that go for another one say so in a condition. */
  readonly marksVictims: boolean;
}

interface SchedulingFailure extends Told {
  readonly message: string;
  readonly preemption?: Preemption | undefined;
}

/** The pods of less priority are deleted; the pod is tried again once they are gone. */
export function failurePlan(known: KnownPod, { message, preemption, ...told }: SchedulingFailure): Plan {
  const { pod, namespace } = known;
  const victims = (preemption?.victims ?? []).flatMap(({ pod: victim, namespace: of }) => {
    const preempted = {
      about: victim,
      type: "Normal",
      reason: "Preempted",
      message: `Preempted by ${known.key} on node ${preemption?.node ?? ""}`,
    } as const;
    const mark = told.marksVictims ? markDisrupted(victim, { disruption: disruptionFor(pod) }, told.nowMs) : undefined;
    const removal = remove(Pod, { namespace: of, name: victim.metadata.name ?? "" }, uidOf(victim), {
      events: [preempted],
    });
    return mark === undefined ? [removal] : [mark, removal];
  });
  const status = statusOf(pod, { reason: "Unschedulable", message, ...told }, preemption?.node);
  return {
    about: pod,
    writes: victims,
    status: status && patch(Pod, { namespace, name: pod.metadata.name ?? "" }, { status }, strategicStatus),
    events: [{ type: "Warning", reason: "FailedScheduling", message }],
  };
}

const disruptionFor = ({ spec }: Pod) => ({
  reason: "PreemptionByScheduler",
  message: `${spec?.schedulerName ?? ""}: preempting to accommodate a higher priority pod`,
});

/** A pod whose gates are closed is not tried. */
export function gatedPlan({ pod, namespace }: KnownPod, told: Told): Plan | undefined {
  const message = "Scheduling is blocked due to non-empty scheduling gates";
  const status = statusOf(pod, { reason: "SchedulingGated", message, ...told }, undefined);
  return (
    status && {
      about: pod,
      status: patch(Pod, { namespace, name: pod.metadata.name ?? "" }, { status }, strategicStatus),
    }
  );
}

const strategicStatus = { type: "strategic", subresource: "status" } as const;

const uidOf = ({ metadata: { uid } }: Pod) => (uid === undefined ? {} : { uid });

interface Refusal extends Told {
  readonly reason: string;
  readonly message: string;
}

/** Undefined: the pod says this already. */
function statusOf({ status, metadata }: Pod, refusal: Refusal, nominated: string | undefined) {
  const { reason, message, nowMs, tellsGeneration } = refusal;
  const before = status?.conditions?.find(({ type }) => type === "PodScheduled");
  const seen = tellsGeneration && metadata.generation ? { observedGeneration: metadata.generation } : {};
  const isSame =
    before?.status === "False" &&
    before.reason === reason &&
    before.message === message &&
    before.observedGeneration === (seen.observedGeneration ?? before.observedGeneration) &&
    (nominated === undefined || status?.nominatedNodeName === nominated);
  if (isSame) return undefined;
  const lastTransitionTime = before?.status === "False" ? before.lastTransitionTime : timeText(nowMs);
  return {
    ...(nominated === undefined ? {} : { nominatedNodeName: nominated }),
    conditions: [{ type: "PodScheduled", status: "False", reason, message, ...seen, lastTransitionTime }],
  };
}
