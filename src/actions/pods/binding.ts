/** pods/binding and bindings: assigns a pod to the node on which it will run, once. */

import type { Binding } from "../../api/core/v1/binding.ts";
import type { PodCondition } from "../../api/core/v1/pod/status.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { copyJson } from "../../machinery/json/json-value.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import { type FieldError, notSupported, required } from "../../machinery/status/field-error.ts";
import { badRequest, conflict, invalidObject } from "../../machinery/status/status.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { CreateAction } from "../../registry/contract/action.ts";
import { serverWrites } from "../../registry/contract/server-writes.ts";
import { success } from "./success.ts";

/** The resource that a conflict of a binding names. */
const bindingSubject = { group: "", kind: "pods/binding" };

export function createBinding(catalog: Catalog): CreateAction<Binding> {
  return {
    async create({ ref, body: binding, context, registry }) {
      const name = binding.metadata.name ?? "";
      if (ref.name !== "" && name !== ref.name)
        throw badRequest("the name of the binding does not match the name in the URL");
      checkTarget(binding);
      const pods = catalog.of(Pod);
      const now = timeText(pods.family.environment.clock.now());
      const bind = (current: Pod | undefined): Pod => {
        const pod = copyJson(current as Pod); // nothing is created here
        assign(pod, binding, now, pods.family.environment);
        return pod;
      };
      const write = serverWrites("a binding", catalog.environment.vocabulary, context);
      const place = { namespace: ref.namespace, name };
      await registry.update(pods, place, bind, write, { retry: true, keepsGeneration: true });
      return success();
    },
  };
}

function checkTarget({ metadata, target }: Binding): void {
  const errors: FieldError[] = [];
  if (target.kind && target.kind !== "Node") errors.push(notSupported("target.kind", target.kind, ["Node", "<empty>"]));
  if (!target.name) errors.push(required("target.name"));
  if (errors.length > 0) throw invalidObject({ group: "", kind: "Binding" }, metadata.name ?? "", errors);
}

function assign(pod: Pod, { target, metadata }: Binding, now: string, { has, gates }: Environment): void {
  const name = pod.metadata.name ?? "";
  if (has("meantBindings")) requireMeant(pod, metadata);
  if (pod.metadata.deletionTimestamp) throw conflict(bindingSubject, name, "the pod is being deleted");
  if (pod.spec?.nodeName) throw conflict(bindingSubject, name, `the pod is assigned to node ${pod.spec.nodeName}`);
  if ((pod.spec?.schedulingGates?.length ?? 0) > 0)
    throw conflict(bindingSubject, name, "the pod has scheduling gates");
  pod.spec = { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: target.name ?? "" };
  if (Object.keys(metadata.annotations ?? {}).length > 0) {
    pod.metadata.annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  }
  if (gates.enabled("PodTopologyLabelsAdmission") && Object.keys(metadata.labels ?? {}).length > 0) {
    pod.metadata.labels = { ...pod.metadata.labels, ...metadata.labels };
  }
  pod.status = { ...pod.status, conditions: withScheduled(pod.status?.conditions ?? [], now) };
  // The pod has its node, so the nomination ends.
  if (has("endedNominations")) delete pod.status.nominatedNodeName;
}

/** At early levels a binding finds its pod by name only. */
function requireMeant({ metadata }: Pod, { uid, resourceVersion }: Binding["metadata"]): void {
  const refuse = (what: string) =>
    conflict({ group: "", kind: "pods" }, metadata.name ?? "", `the pod has another ${what}`);
  if (uid && uid !== metadata.uid) throw refuse("uid");
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) throw refuse("resourceVersion");
}

/** Sets the condition at its existing position, and keeps its transition time if it was True before. */
function withScheduled(conditions: readonly PodCondition[], now: string): PodCondition[] {
  const type = "PodScheduled";
  const before = conditions.find((condition) => condition.type === type);
  const since = before?.status === "True" ? (before.lastTransitionTime ?? null) : now;
  const scheduled = { type, status: "True", lastProbeTime: null, lastTransitionTime: since };
  return before === undefined
    ? [...conditions, scheduled]
    : conditions.map((condition) => (condition === before ? scheduled : condition));
}
