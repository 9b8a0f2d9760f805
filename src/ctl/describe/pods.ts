/** Descriptions of pods, and of the templates that they are made from. */

import { entries, type Json, list, number, text } from "../json.ts";
import { containers, initContainers } from "./containers.ts";
import { annotations, controlledBy, labels, labelsAndAnnotations, names } from "./metadata.ts";
import { age, at, joinedOf, phrase, time } from "./readers.ts";
import { field, given, group, line, type Row, type Rows, section, values, when } from "./row.ts";
import { volumes } from "./volumes.ts";

export const pod: Rows = [
  ...names,
  given("Priority", "spec.priority"),
  given("Priority Class Name", "spec.priorityClassName"),
  given("Runtime Class Name", "spec.runtimeClassName"),
  field("Node", nodeText),
  given("Start Time", at("status.startTime", time)),
  ...labelsAndAnnotations,
  when((one) => !isDeleted(one), [field("Status", "status.phase")]),
  when(isDeleted, [
    field("Status", phrase`Terminating (lasts ${age("metadata.deletionTimestamp")})`),
    field("Termination Grace Period", phrase`${"metadata.deletionGracePeriodSeconds"}s`),
  ]),
  given("Reason", "status.reason"),
  given("Message", "status.message"),
  field("IP", "status.podIP"),
  group("IPs", "status.podIPs", [field("IP", "ip")], { none: "\t<none>" }),
  controlledBy,
  given("NominatedNodeName", "status.nominatedNodeName"),
  given("Scheduling Gates", joinedOf("spec.schedulingGates", ["name"], ", ")),
  initContainers("pod"),
  containers("pod"),
  {
    ...group("Conditions", "status.conditions", [line(phrase`${"type"} \t${"status"} `)]),
    head: ["Type\tStatus"],
  },
  volumes("pod"),
  given("QoS Class", "status.qosClass"),
  labels("Node-Selectors", "spec.nodeSelector"),
  values("Tolerations", (one) => list(one, "spec", "tolerations").map(tolerationText).sort()),
];

export const podTemplate: Row = section("Pod Template", [
  labels(),
  when((template) => entries(template, "metadata", "annotations").length > 0, [annotations]),
  given("Service Account", "spec.serviceAccountName"),
  initContainers("template"),
  containers("template"),
  volumes("template"),
  given("Priority Class Name", "spec.priorityClassName"),
]);

function nodeText(one: Json): string {
  const node = text(one, "spec", "nodeName");
  return node === "" ? "<none>" : `${node}/${text(one, "status", "hostIP")}`;
}

function isDeleted(one: Json): boolean {
  return text(one, "metadata", "deletionTimestamp") !== "";
}

function tolerationText(one: Json): string {
  const value = text(one, "value");
  const effect = text(one, "effect");
  const operator = text(one, "operator") === "Exists" && value === "" ? " op=Exists" : "";
  const seconds = number(one, "tolerationSeconds");
  return `${text(one, "key")}${value === "" ? "" : `=${value}`}${effect === "" ? "" : `:${effect}`}${operator}${seconds === undefined ? "" : ` for ${seconds}s`}`;
}
