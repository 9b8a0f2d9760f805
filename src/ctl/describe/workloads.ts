/** Descriptions of pods and of workloads. */

import { humanDuration } from "../../machinery/table/human-duration.ts";
import type { Context } from "../context.ts";
import { dig, isJson, type Json, list, nameOf, namespaceOf, number, object, text } from "../json.ts";
import { controllerOf, describeContainers, describePodTemplate, describeTolerations, time } from "./pod-template.ts";
import { selectorText } from "./selector.ts";
import { describeVolumes } from "./volumes.ts";
import type { DescriptionWriter } from "./writer.ts";

export function describeName(w: DescriptionWriter, value: Json, options: { readonly namespaced?: boolean } = {}): void {
  w.field(0, "Name", nameOf(value));
  if (options.namespaced !== false) w.field(0, "Namespace", namespaceOf(value));
}

export function describeLabels(w: DescriptionWriter, value: Json): void {
  w.pairs(0, "Labels", object(value, "metadata", "labels"));
  w.pairs(0, "Annotations", object(value, "metadata", "annotations"), ":");
}

export function describePod(w: DescriptionWriter, pod: Json, context: Context): void {
  const spec = object(pod, "spec");
  const status = object(pod, "status");
  describeName(w, pod);
  if (number(spec, "priority") !== undefined) w.field(0, "Priority", text(spec, "priority"));
  if (text(spec, "priorityClassName") !== "") w.field(0, "Priority Class Name", text(spec, "priorityClassName"));
  if (text(spec, "runtimeClassName") !== "") w.field(0, "Runtime Class Name", text(spec, "runtimeClassName"));
  w.field(0, "Node", text(spec, "nodeName") === "" ? "<none>" : `${text(spec, "nodeName")}/${text(status, "hostIP")}`);
  if (text(status, "startTime") !== "") w.field(0, "Start Time", time(text(status, "startTime")));
  describeLabels(w, pod);
  const deleted = text(pod, "metadata", "deletionTimestamp");
  if (deleted === "") w.field(0, "Status", text(status, "phase"));
  else {
    w.field(0, "Status", `Terminating (lasts ${humanDuration(context.environment.clock.now() - Date.parse(deleted))})`);
    w.field(0, "Termination Grace Period", `${text(pod, "metadata", "deletionGracePeriodSeconds")}s`);
  }
  if (text(status, "reason") !== "") w.field(0, "Reason", text(status, "reason"));
  if (text(status, "message") !== "") w.field(0, "Message", text(status, "message"));
  w.field(0, "IP", text(status, "podIP"));
  const ips = list(status, "podIPs");
  if (ips.length === 0) w.field(0, "IPs", "<none>");
  else {
    w.line(0, "IPs:");
    for (const ip of ips) w.line(1, `IP:\t${text(ip, "ip")}`);
  }
  if (controllerOf(pod) !== "") w.field(0, "Controlled By", controllerOf(pod));
  if (text(status, "nominatedNodeName") !== "") w.field(0, "NominatedNodeName", text(status, "nominatedNodeName"));
  const gates = list(spec, "schedulingGates").map((gate) => text(gate, "name"));
  if (gates.length > 0) w.field(0, "Scheduling Gates", gates.join(", "));
  if (list(spec, "initContainers").length > 0)
    describeContainers(
      w,
      "Init Containers",
      list(spec, "initContainers"),
      list(status, "initContainerStatuses"),
      "",
      pod,
    );
  describeContainers(w, "Containers", list(spec, "containers"), list(status, "containerStatuses"), "", pod);
  const conditions = list(status, "conditions");
  if (conditions.length > 0) {
    w.line(0, "Conditions:");
    w.line(1, "Type\tStatus");
    for (const condition of conditions) w.line(1, `${text(condition, "type")} \t${text(condition, "status")} `);
  }
  describeVolumes(w, list(spec, "volumes"), "");
  if (text(status, "qosClass") !== "") w.field(0, "QoS Class", text(status, "qosClass"));
  w.pairs(0, "Node-Selectors", object(spec, "nodeSelector"));
  describeTolerations(w, list(spec, "tolerations"));
}

/** The number of pods of a workload in each state. */
async function podStates(context: Context, value: Json): Promise<string> {
  const resource = (await context.discovery()).find("pods");
  const counts = { Running: 0, Pending: 0, Succeeded: 0, Failed: 0 };
  if (resource !== undefined)
    for await (const pod of context.at(resource).items({
      namespace: namespaceOf(value),
      labelSelector: selectorText(object(value, "spec")["selector"]),
    })) {
      const isOwned = list(pod, "metadata", "ownerReferences").some(
        (one) => one["controller"] === true && text(one, "uid") === text(value, "metadata", "uid"),
      );
      const phase = text(pod, "status", "phase");
      if (isOwned && Object.hasOwn(counts, phase)) counts[phase as keyof typeof counts]++;
    }
  return `${counts.Running} Running / ${counts.Pending} Waiting / ${counts.Succeeded} Succeeded / ${counts.Failed} Failed`;
}

function describeConditions(w: DescriptionWriter, value: Json): void {
  const conditions = list(value, "status", "conditions");
  if (conditions.length === 0) return;
  w.line(0, "Conditions:");
  w.line(1, "Type\tStatus\tReason");
  w.line(1, "----\t------\t------");
  for (const condition of conditions)
    w.line(1, `${text(condition, "type")} \t${text(condition, "status")}\t${text(condition, "reason")}`);
}

export async function describeReplicas(w: DescriptionWriter, value: Json, context: Context): Promise<void> {
  describeName(w, value);
  w.field(0, "Selector", selectorText(object(value, "spec")["selector"]));
  describeLabels(w, value);
  if (controllerOf(value) !== "") w.field(0, "Controlled By", controllerOf(value));
  w.field(
    0,
    "Replicas",
    `${number(value, "status", "replicas") ?? 0} current / ${number(value, "spec", "replicas") ?? 0} desired`,
  );
  w.field(0, "Pods Status", await podStates(context, value));
  describePodTemplate(w, object(value, "spec", "template"));
  describeConditions(w, value);
}

export async function describeDeployment(w: DescriptionWriter, value: Json, context: Context): Promise<void> {
  const spec = object(value, "spec");
  const status = object(value, "status");
  describeName(w, value);
  w.field(0, "CreationTimestamp", time(text(value, "metadata", "creationTimestamp")));
  describeLabels(w, value);
  w.field(0, "Selector", selectorText(spec["selector"]));
  const count = (key: string) => number(status, key) ?? 0;
  w.field(
    0,
    "Replicas",
    `${number(spec, "replicas") ?? 0} desired | ${count("updatedReplicas")} updated | ${count("replicas")} total | ${count("availableReplicas")} available | ${count("unavailableReplicas")} unavailable`,
  );
  w.field(0, "StrategyType", text(spec, "strategy", "type"));
  w.field(0, "MinReadySeconds", text(spec, "minReadySeconds") || "0");
  const rolling = object(spec, "strategy")["rollingUpdate"];
  if (isJson(rolling))
    w.field(
      0,
      "RollingUpdateStrategy",
      `${text(rolling, "maxUnavailable")} max unavailable, ${text(rolling, "maxSurge")} max surge`,
    );
  describePodTemplate(w, object(spec, "template"));
  describeConditions(w, value);
  const { old, current } = await replicaSets(context, value);
  w.field(0, "OldReplicaSets", old.map(replicaSetText).join(", ") || "<none>");
  w.field(0, "NewReplicaSet", current === undefined ? "<none>" : replicaSetText(current));
}

const replicaSetText = (set: Json): string =>
  `${nameOf(set)} (${number(set, "status", "replicas") ?? 0}/${number(set, "spec", "replicas") ?? 0} replicas created)`;

async function replicaSets(context: Context, deployment: Json): Promise<{ old: Json[]; current: Json | undefined }> {
  const resource = (await context.discovery()).inGroup("replicasets", "apps");
  const key = (await context.vocabulary()).word("deployment.orch.io/revision");
  const owned: Json[] = [];
  if (resource !== undefined)
    for await (const set of context.at(resource).items({ namespace: namespaceOf(deployment) }))
      if (
        list(set, "metadata", "ownerReferences").some((one) => text(one, "uid") === text(deployment, "metadata", "uid"))
      )
        owned.push(set);
  const revision = text(deployment, "metadata", "annotations", key);
  const current = owned.find((set) => text(set, "metadata", "annotations", key) === revision);
  return { current, old: owned.filter((set) => set !== current && (number(set, "spec", "replicas") ?? 0) > 0) };
}

export async function describeDaemonSet(w: DescriptionWriter, value: Json, context: Context): Promise<void> {
  w.field(0, "Name", nameOf(value));
  w.field(0, "Selector", selectorText(object(value, "spec")["selector"]));
  w.pairs(0, "Node-Selector", object(value, "spec", "template", "spec", "nodeSelector"));
  describeLabels(w, value);
  const count = (key: string) => number(value, "status", key) ?? 0;
  w.line(0, `Desired Number of Nodes Scheduled: ${count("desiredNumberScheduled")}`);
  w.line(0, `Current Number of Nodes Scheduled: ${count("currentNumberScheduled")}`);
  w.line(0, `Number of Nodes Scheduled with Up-to-date Pods: ${count("updatedNumberScheduled")}`);
  w.line(0, `Number of Nodes Scheduled with Available Pods: ${count("numberAvailable")}`);
  w.line(0, `Number of Nodes Misscheduled: ${count("numberMisscheduled")}`);
  w.field(0, "Pods Status", await podStates(context, value));
  describePodTemplate(w, object(value, "spec", "template"));
}

export async function describeStatefulSet(w: DescriptionWriter, value: Json, context: Context): Promise<void> {
  describeName(w, value);
  w.field(0, "CreationTimestamp", time(text(value, "metadata", "creationTimestamp")));
  w.field(0, "Selector", selectorText(object(value, "spec")["selector"]));
  describeLabels(w, value);
  w.field(
    0,
    "Replicas",
    `${number(value, "spec", "replicas") ?? 0} desired | ${number(value, "status", "replicas") ?? 0} total`,
  );
  w.field(0, "Update Strategy", text(value, "spec", "updateStrategy", "type"));
  const partition = dig(value, "spec", "updateStrategy", "rollingUpdate", "partition");
  if (partition !== undefined) w.line(1, `Partition:\t${String(partition)}`);
  w.field(0, "Pods Status", await podStates(context, value));
  describePodTemplate(w, object(value, "spec", "template"));
  const claims = list(value, "spec", "volumeClaimTemplates");
  if (claims.length === 0) return w.field(0, "Volume Claims", "<none>");
  w.line(0, "Volume Claims:");
  for (const claim of claims) {
    w.line(1, `Name:\t${nameOf(claim)}`);
    w.line(1, `StorageClass:\t${text(claim, "spec", "storageClassName")}`);
    w.pairs(1, "Labels", object(claim, "metadata", "labels"));
    w.pairs(1, "Annotations", object(claim, "metadata", "annotations"), ":");
    w.line(1, `Capacity:\t${text(claim, "spec", "resources", "requests", "storage")}`);
    w.line(1, `Access Modes:\t[${(dig(claim, "spec", "accessModes") as string[] | undefined)?.join(" ") ?? ""}]`);
  }
}
