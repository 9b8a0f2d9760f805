/** Descriptions of workloads: what makes pods from a template. */

import type { Context } from "../context.ts";
import { type Json, list, nameOf, namespaceOf, number, text } from "../json.ts";
import { controlledBy, created, isControlledBy, labels, labelsAndAnnotations, name, names } from "./metadata.ts";
import { podTemplate } from "./pods.ts";
import { count, joined, or, phrase } from "./readers.ts";
import { field, given, group, ifThere, indented, line, type Rows, table, within } from "./row.ts";
import { selector } from "./selector.ts";

const template = within("spec.template", [podTemplate]);
const podsStatus = field("Pods Status", podStates);
const conditions = table("Conditions", "status.conditions", {
  Type: phrase`${"type"} `,
  Status: "status",
  Reason: "reason",
});

/** Replica sets and replication controllers. */
export const replicas: Rows = [
  ...names,
  field("Selector", selector("spec.selector")),
  ...labelsAndAnnotations,
  controlledBy,
  field("Replicas", phrase`${count("status.replicas")} current / ${count("spec.replicas")} desired`),
  podsStatus,
  template,
  conditions,
];

export const deployment: Rows = [
  ...names,
  created,
  ...labelsAndAnnotations,
  field("Selector", selector("spec.selector")),
  field(
    "Replicas",
    phrase`${count("spec.replicas")} desired | ${count("status.updatedReplicas")} updated | ${count("status.replicas")} total | ${count("status.availableReplicas")} available | ${count("status.unavailableReplicas")} unavailable`,
  ),
  field("StrategyType", "spec.strategy.type"),
  field("MinReadySeconds", or("spec.minReadySeconds", "0")),
  ifThere("spec.strategy.rollingUpdate", [
    field("RollingUpdateStrategy", phrase`${"maxUnavailable"} max unavailable, ${"maxSurge"} max surge`),
  ]),
  template,
  conditions,
  within(replicaSets, [field("OldReplicaSets", "old"), field("NewReplicaSet", "current")]),
];

export const daemonSet: Rows = [
  name,
  field("Selector", selector("spec.selector")),
  labels("Node-Selector", "spec.template.spec.nodeSelector"),
  ...labelsAndAnnotations,
  line(phrase`Desired Number of Nodes Scheduled: ${count("status.desiredNumberScheduled")}`),
  line(phrase`Current Number of Nodes Scheduled: ${count("status.currentNumberScheduled")}`),
  line(phrase`Number of Nodes Scheduled with Up-to-date Pods: ${count("status.updatedNumberScheduled")}`),
  line(phrase`Number of Nodes Scheduled with Available Pods: ${count("status.numberAvailable")}`),
  line(phrase`Number of Nodes Misscheduled: ${count("status.numberMisscheduled")}`),
  podsStatus,
  template,
];

export const statefulSet: Rows = [
  ...names,
  created,
  field("Selector", selector("spec.selector")),
  ...labelsAndAnnotations,
  field("Replicas", phrase`${count("spec.replicas")} desired | ${count("status.replicas")} total`),
  field("Update Strategy", "spec.updateStrategy.type"),
  indented([given("Partition", "spec.updateStrategy.rollingUpdate.partition")]),
  podsStatus,
  template,
  group(
    "Volume Claims",
    "spec.volumeClaimTemplates",
    [
      name,
      field("StorageClass", "spec.storageClassName"),
      ...labelsAndAnnotations,
      field("Capacity", "spec.resources.requests.storage"),
      field("Access Modes", phrase`[${joined("spec.accessModes", " ")}]`),
    ],
    { none: "\t<none>" },
  ),
];

/** The number of pods of a workload in each state. */
async function podStates(value: Json, context: Context): Promise<string> {
  const resource = (await context.discovery()).find("pods");
  const counts = new Map<string, number>();
  if (resource !== undefined)
    for await (const pod of context.at(resource).items({
      namespace: namespaceOf(value),
      labelSelector: selector("spec.selector")(value),
    })) {
      const phase = text(pod, "status", "phase");
      if (isControlledBy(pod, value)) counts.set(phase, (counts.get(phase) ?? 0) + 1);
    }
  const of = (phase: string) => counts.get(phase) ?? 0;
  return `${of("Running")} Running / ${of("Pending")} Waiting / ${of("Succeeded")} Succeeded / ${of("Failed")} Failed`;
}

/** The replica set of the current revision of a deployment, and the earlier ones that still have replicas. */
async function replicaSets(deployment: Json, context: Context): Promise<Json> {
  const resource = (await context.discovery()).inGroup("replicasets", "apps");
  const key = (await context.vocabulary()).word("deployment.orch.io/revision");
  const uid = text(deployment, "metadata", "uid");
  const owned: Json[] = [];
  if (resource !== undefined)
    for await (const set of context.at(resource).items({ namespace: namespaceOf(deployment) }))
      if (list(set, "metadata", "ownerReferences").some((one) => text(one, "uid") === uid)) owned.push(set);
  const revision = text(deployment, "metadata", "annotations", key);
  const current = owned.find((set) => text(set, "metadata", "annotations", key) === revision);
  const old = owned.filter((set) => set !== current && (number(set, "spec", "replicas") ?? 0) > 0);
  return {
    old: old.map(replicaSetText).join(", ") || "<none>",
    current: current === undefined ? "<none>" : replicaSetText(current),
  };
}

const replicaSetText = (set: Json): string =>
  `${nameOf(set)} (${number(set, "status", "replicas") ?? 0}/${number(set, "spec", "replicas") ?? 0} replicas created)`;
