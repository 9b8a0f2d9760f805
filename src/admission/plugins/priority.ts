/** Sets a pod's priority from its priority class, and allows only one default class. */

import { Pod } from "../../api/core/v1/pod.ts";
import { PriorityClass } from "../../api/scheduling/v1/priority-class.ts";
import { ownMember, type Shared } from "../../machinery/schema/shared-object.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { type AdmissionContext, lookUp, refuse } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin } from "../on.ts";

/** The priority of pods when no class is the default. */
const noClass = { name: "", value: 0, preemptionPolicy: "PreemptLowerPriority" };

export function createPriority(context: AdmissionContext): AdmissionPlugin {
  const defaults = followDefaults(context);
  return plugin("Priority", [
    on(Pod, "CREATE", {
      mutate(request) {
        const pod = request.object;
        if (pod.spec === undefined) return;
        const found = classOf(context, defaults, pod.spec.priorityClassName ?? "");
        if (found instanceof Promise) return found.then((chosen) => givePriority(request, pod, chosen));
        givePriority(request, pod, found);
      },
    }),
    on(Pod, "UPDATE", { leavesOldMembers: true, mutate: ({ object, old }) => keepPriority(object, old) }),
    on(PriorityClass, ["CREATE", "UPDATE"], {
      validate(request) {
        const { object: given, operation } = request;
        if (!given.globalDefault) return;
        const other = lowestOf(defaults);
        if (other === undefined) return;
        if (operation === "UPDATE" && other.metadata.name === given.metadata.name) return;
        throw refuse(request, `PriorityClass ${other.metadata.name} is already the default; only one can be`);
      },
    }),
  ]);
}

/** Validation refuses a changed priority; an update that omits it has not changed it. */
function keepPriority(pod: Shared<Pod>, old: Pod): void {
  const spec = ownMember(pod, old, "spec");
  if (spec === undefined || old.spec === undefined) return;
  const { priority, preemptionPolicy } = old.spec;
  if (spec.priority === undefined && priority !== undefined) spec.priority = priority;
  if (spec.preemptionPolicy === undefined && preemptionPolicy !== undefined) spec.preemptionPolicy = preemptionPolicy;
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
function classOf(
  context: AdmissionContext,
  defaults: Defaults,
  name: string,
): Chosen | undefined | Promise<Chosen | undefined> {
  if (name === "") {
    const found = lowestOf(defaults);
    return found === undefined ? noClass : chosenFrom(found);
  }
  const found = lookUp(context, context.catalog.of(PriorityClass), { namespace: "", name });
  return found instanceof Promise ? found.then(chosenFrom) : chosenFrom(found);
}

function chosenFrom(found: PriorityClass | undefined): Chosen | undefined {
  if (found === undefined) return undefined;
  const { metadata, value, preemptionPolicy } = found;
  return { name: metadata.name ?? "", value, preemptionPolicy };
}

/** The classes that are the default, by name. */
type Defaults = ReadonlyMap<string, PriorityClass>;

/** Kept up to date, since every new pod needs them and they hardly ever change. */
function followDefaults({ catalog, registry }: AdmissionContext): Defaults {
  const kind = catalog.of(PriorityClass);
  const defaults = new Map<string, PriorityClass>();
  const note = (entry: Entry<PriorityClass>, deleted: boolean): void => {
    const found = deleted ? undefined : entry.object();
    if (found?.globalDefault) defaults.set(entry.name, found);
    else defaults.delete(entry.name);
  };
  registry.observe(kind, ({ entry, deleted }) => note(entry, deleted));
  for (const entry of registry.peekAll(kind)) note(entry, false);
  return defaults;
}

/** The lowest of several is used: two servers may have accepted one each. */
function lowestOf(defaults: Defaults): PriorityClass | undefined {
  let lowest: PriorityClass | undefined;
  for (const found of defaults.values()) if (lowest === undefined || found.value < lowest.value) lowest = found;
  return lowest;
}
