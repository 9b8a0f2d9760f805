/** Description of a node: its state, its lease, and the pods that run on it with what they request. */

import { addQuantities, milliValue, parseQuantity, type Quantity } from "../../machinery/values/quantity.ts";
import type { Context } from "../context.ts";
import { type Json, list, nameOf, object, text } from "../json.ts";
import { created, labelsAndAnnotations, name } from "./metadata.ts";
import { age, at, flag, joined, moment, or, phrase, time } from "./readers.ts";
import {
  amounts,
  type ColumnReaders,
  field,
  given,
  group,
  indented,
  line,
  plainTable,
  type Rows,
  section,
  table,
  values,
  when,
  within,
} from "./row.ts";

const podColumns: ColumnReaders = {
  Namespace: "metadata.namespace",
  Name: "metadata.name",
  "": () => "",
  "CPU Requests": "shares.requests.cpu",
  "CPU Limits": "shares.limits.cpu",
  "Memory Requests": "shares.requests.memory",
  "Memory Limits": "shares.limits.memory",
  Age: age("metadata.creationTimestamp"),
};

export const node: Rows = [
  name,
  field("Roles", roles),
  ...labelsAndAnnotations,
  created,
  values("Taints", (one) => list(one, "spec", "taints").map(taintText).sort()),
  field("Unschedulable", flag("spec.unschedulable")),
  within(leaseOf, [
    given("Lease", "failure"),
    when(
      (lease) => lease["failure"] === undefined,
      [
        section("Lease", [
          field("HolderIdentity", or("spec.holderIdentity", "<unset>")),
          "AcquireTime:\t<unset>",
          field("RenewTime", or(at("spec.renewTime", time), "<unset>")),
        ]),
      ],
    ),
  ]),
  table("Conditions", "status.conditions", {
    Type: phrase`${"type"} `,
    Status: phrase`${"status"} `,
    LastHeartbeatTime: phrase`${moment("lastHeartbeatTime")} `,
    LastTransitionTime: phrase`${moment("lastTransitionTime")} `,
    Reason: phrase`${"reason"} `,
    Message: "message",
  }),
  group("Addresses", "status.addresses", [line(phrase`${"type"}:\t${"address"}`)], { none: "" }),
  amounts("Capacity", "status.capacity"),
  amounts("Allocatable", "status.allocatable"),
  section("System Info", [
    within("status.nodeInfo", [
      field("Machine ID", "machineID"),
      field("System UUID", "systemUUID"),
      field("Boot ID", "bootID"),
      field("Kernel Version", "kernelVersion"),
      field("OS Image", "osImage"),
      field("Operating System", "operatingSystem"),
      field("Architecture", "architecture"),
      field("Container Runtime Version", "containerRuntimeVersion"),
      line(async (info, context) => {
        const vocabulary = await context.vocabulary();
        return `${vocabulary.isNeutral ? "Orchlet" : "Kubelet"} Version:\t${text(info, vocabulary.field("orchletVersion"))}`;
      }),
      line(async (info, context) => {
        const vocabulary = await context.vocabulary();
        return `${vocabulary.isNeutral ? "Orch" : "Kube"}-Proxy Version:\t${text(info, vocabulary.field("orchProxyVersion"))}`;
      }),
    ]),
  ]),
  given("PodCIDR", "spec.podCIDR"),
  given("PodCIDRs", joined("spec.podCIDRs")),
  given("ProviderID", "spec.providerID"),
  within(podsOf, [
    field("Non-terminated Pods", phrase`(${"count"} in total)`),
    indented([plainTable("pods", podColumns)]),
    section("Allocated resources", [
      "(Total limits may be over 100 percent, i.e., overcommitted.)",
      plainTable("allocated", { Resource: "name", Requests: "requests", Limits: "limits" }),
    ]),
  ]),
];

async function roles(node: Json, context: Context): Promise<string> {
  const prefix = (await context.vocabulary()).word("node-role.orch.io/");
  const labels = Object.keys(object(node, "metadata", "labels")).filter((key) => key.startsWith(prefix));
  const all = labels.map((key) => key.slice(prefix.length));
  return all.sort().join(",") || "<none>";
}

function taintText(taint: Json): string {
  const value = text(taint, "value");
  return `${text(taint, "key")}${value === "" ? "" : `=${value}`}:${text(taint, "effect")}`;
}

/** The lease by which the agent of the node reports that it lives; `failure`: why it cannot be read. */
async function leaseOf(node: Json, context: Context): Promise<Json> {
  const vocabulary = await context.vocabulary();
  const resource = (await context.discovery()).find("leases");
  const failure = `Failed to get lease: leases.${vocabulary.group("coordination.orch.io")} "${nameOf(node)}" not found`;
  if (resource === undefined) return { failure };
  return context
    .at(resource)
    .get({ namespace: vocabulary.word("orch-node-lease"), name: nameOf(node) })
    .catch(() => ({ failure }));
}

/** The pods of the node that still run, with their shares of what the node has, and the sums of all. */
async function podsOf(node: Json, context: Context): Promise<Json> {
  const resource = (await context.discovery()).find("pods");
  const pods: Json[] = [];
  if (resource !== undefined)
    for await (const pod of context.at(resource).items({
      fieldSelector: `spec.nodeName=${nameOf(node)},status.phase!=Failed,status.phase!=Succeeded`,
    }))
      pods.push(pod);
  const shares = (of: readonly Json[], kind: string) => ({
    cpu: share(node, "cpu", sumOf(of, kind, "cpu")),
    memory: share(node, "memory", sumOf(of, kind, "memory")),
  });
  const [requests, limits] = [shares(pods, "requests"), shares(pods, "limits")];
  return {
    count: pods.length,
    pods: pods.map((pod) => ({
      ...pod,
      shares: { requests: shares([pod], "requests"), limits: shares([pod], "limits") },
    })),
    allocated: [
      { name: "cpu", requests: requests.cpu, limits: limits.cpu },
      { name: "memory", requests: requests.memory, limits: limits.memory },
      { name: "ephemeral-storage", requests: "0 (0%)", limits: "0 (0%)" },
    ],
  };
}

const zero = parseQuantity("0")!;

function sumOf(pods: readonly Json[], kind: string, name: string): Quantity {
  return pods
    .flatMap((pod) => list(pod, "spec", "containers"))
    .map((container) => parseQuantity(text(container, "resources", kind, name) || "0") ?? zero)
    .reduce(addQuantities, zero);
}

/** "250m (12%)" of the node's allocatable amount. */
function share(node: Json, name: string, sum: Quantity): string {
  const all = parseQuantity(text(node, "status", "allocatable", name) || "0") ?? zero;
  const percent = milliValue(all) === 0n ? 0n : (milliValue(sum) * 100n) / milliValue(all);
  return `${sum.text} (${percent}%)`;
}
