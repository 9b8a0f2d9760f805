/** Turns the name of a pod's priority class into the number that counts, and keeps one class the default. */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { PriorityClass } from "../../api/scheduling/v1/priority-class.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type AdmissionContext, findKind, isAbout, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../contract.ts";

const schedulingGroup = "scheduling.orch.io";
/** What pods get when no class is the default. */
const noClass = { name: "", value: 0, preemptionPolicy: "PreemptLowerPriority" };

export function createPriority(context: AdmissionContext): AdmissionPlugin {
  return {
    name: "Priority",
    handles: (request) =>
      (request.operation === "CREATE" || request.operation === "UPDATE") &&
      (isAbout(request, "", "pods") || isAbout(request, schedulingGroup, "priorityclasses")),
    mutate(request) {
      if (!isAbout(request, "", "pods")) return;
      const pod = request.object as unknown as Pod; // told apart by the resource just above
      if (pod.spec === undefined) return;
      if (request.operation === "UPDATE") return keepPriority(pod, request.old as unknown as Pod | undefined);
      const found = classOf(context, pod.spec.priorityClassName ?? "");
      if (found instanceof Promise) return found.then((chosen) => givePriority(request, pod, chosen));
      givePriority(request, pod, found);
    },
    validate(request) {
      if (isAbout(request, "", "pods")) return;
      const given = request.object as unknown as PriorityClass; // `handles` lets nothing else through
      if (!given.globalDefault) return;
      const other = defaultClass(context);
      if (other === undefined) return;
      if (request.operation === "UPDATE" && other.metadata.name === given.metadata.name) return;
      throw refuse(request, `PriorityClass ${other.metadata.name} is already the default; only one can be`);
    },
  };
}

/** Validation refuses a changed priority; one that an update leaves out has not changed. */
function keepPriority(pod: Pod, old: Pod | undefined): void {
  if (pod.spec === undefined || old?.spec === undefined) return;
  const { priority, preemptionPolicy } = old.spec;
  if (pod.spec.priority === undefined && priority !== undefined) pod.spec.priority = priority;
  if (pod.spec.preemptionPolicy === undefined && preemptionPolicy !== undefined) {
    pod.spec.preemptionPolicy = preemptionPolicy;
  }
}

interface Chosen {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string | undefined;
}

function givePriority(request: AdmissionRequest, { spec }: Pod, chosen: Chosen | undefined): void {
  if (spec === undefined) return;
  if (chosen === undefined) throw refuse(request, `there is no PriorityClass with name ${spec.priorityClassName}`);
  if (spec.priority !== undefined && spec.priority !== chosen.value) {
    throw refuse(request, `spec.priority must not be set; the pod's class gives it ${chosen.value}`);
  }
  const { preemptionPolicy } = chosen;
  if (preemptionPolicy !== undefined) {
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
      throw refuse(request, `spec.preemptionPolicy must not be set; the pod's class gives it ${preemptionPolicy}`);
    }
    spec.preemptionPolicy = preemptionPolicy;
  }
  if (chosen.name !== "") spec.priorityClassName = chosen.name;
  spec.priority = chosen.value;
}

/** Undefined: the named class does not exist. */
function classOf(context: AdmissionContext, name: string): Chosen | undefined | Promise<Chosen | undefined> {
  if (name === "") {
    const found = defaultClass(context);
    return found === undefined ? noClass : chosenFrom(found);
  }
  const kind = findKind(context, schedulingGroup, "v1", "priorityclasses");
  if (kind === undefined) return undefined;
  const found = lookUp(context, kind, { namespace: "", name });
  return found instanceof Promise ? found.then(chosenFrom) : chosenFrom(found);
}

function chosenFrom(found: ApiObject | PriorityClass | undefined): Chosen | undefined {
  if (found === undefined) return undefined;
  const { metadata, value, preemptionPolicy } = found as unknown as PriorityClass; // all that this family holds
  return { name: metadata.name ?? "", value, preemptionPolicy };
}

/** Of several (two servers may have let one in each) the lowest counts. */
function defaultClass(context: AdmissionContext): PriorityClass | undefined {
  const kind = findKind(context, schedulingGroup, "v1", "priorityclasses");
  if (kind === undefined) return undefined;
  let lowest: PriorityClass | undefined;
  for (const entry of context.registry.peekAll(kind)) {
    const found = entry.object() as unknown as PriorityClass; // all that this family holds
    if (found.globalDefault && (lowest === undefined || found.value < lowest.value)) lowest = found;
  }
  return lowest;
}
