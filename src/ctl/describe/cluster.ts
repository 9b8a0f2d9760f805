/** Descriptions of nodes, namespaces, quotas, limits, storage and scheduling. */

import { humanDuration } from "../../machinery/table/human-duration.ts";
import { addQuantities, milliValue, parseQuantity, type Quantity } from "../../machinery/values/quantity.ts";
import type { Context } from "../context.ts";
import { entries, isJson, type Json, list, nameOf, namespaceOf, number, object, text, texts } from "../json.ts";
import { time } from "./pod-template.ts";
import { selectorText } from "./selector.ts";
import { describeSource } from "./volumes.ts";
import { describeLabels, describeName } from "./workloads.ts";
import type { DescriptionWriter } from "./writer.ts";

const ageOf = (value: Json, context: Context): string =>
  humanDuration(context.environment.clock.now() - Date.parse(text(value, "metadata", "creationTimestamp")));

export async function describeNode(w: DescriptionWriter, value: Json, context: Context): Promise<void> {
  const vocabulary = await context.vocabulary();
  const prefix = vocabulary.word("node-role.orch.io/");
  w.field(0, "Name", nameOf(value));
  const roles = Object.keys(object(value, "metadata", "labels"))
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
  w.field(0, "Roles", roles.sort().join(",") || "<none>");
  describeLabels(w, value);
  w.field(0, "CreationTimestamp", time(text(value, "metadata", "creationTimestamp")));
  const taints = list(value, "spec", "taints").map(
    (taint) =>
      `${text(taint, "key")}${text(taint, "value") === "" ? "" : `=${text(taint, "value")}`}:${text(taint, "effect")}`,
  );
  if (taints.length === 0) w.field(0, "Taints", "<none>");
  taints.sort().forEach((line, at) => {
    w.text += `${at === 0 ? "Taints:" : ""}\t${line}\n`;
  });
  w.field(0, "Unschedulable", String(object(value, "spec")["unschedulable"] === true));
  await describeLease(w, value, context);
  const conditions = list(value, "status", "conditions");
  if (conditions.length > 0) {
    w.line(0, "Conditions:");
    w.line(1, "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
    w.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
    for (const one of conditions)
      w.line(
        1,
        [
          `${text(one, "type")} `,
          `${text(one, "status")} `,
          `${time(text(one, "lastHeartbeatTime"))} `,
          `${time(text(one, "lastTransitionTime"))} `,
          `${text(one, "reason")} `,
          `${text(one, "message")}`,
        ].join("\t"),
      );
  }
  w.line(0, "Addresses:");
  for (const address of list(value, "status", "addresses"))
    w.line(1, `${text(address, "type")}:\t${text(address, "address")}`);
  for (const [title, key] of [
    ["Capacity", "capacity"],
    ["Allocatable", "allocatable"],
  ] as const) {
    const amounts = entries(value, "status", key);
    if (amounts.length > 0) w.line(0, `${title}:`);
    for (const [name, amount] of amounts) w.line(1, `${name}:\t${amount}`);
  }
  const info = object(value, "status", "nodeInfo");
  w.line(0, "System Info:");
  const titles = {
    machineID: "Machine ID",
    systemUUID: "System UUID",
    bootID: "Boot ID",
    kernelVersion: "Kernel Version",
    osImage: "OS Image",
    operatingSystem: "Operating System",
    architecture: "Architecture",
    containerRuntimeVersion: "Container Runtime Version",
  } as const;
  for (const [key, title] of Object.entries(titles)) w.line(1, `${title}:\t${text(info, key)}`);
  w.line(
    1,
    `${vocabulary.isNeutral ? "Orchlet" : "Kubelet"} Version:\t${text(info, vocabulary.field("orchletVersion"))}`,
  );
  w.line(
    1,
    `${vocabulary.isNeutral ? "Orch" : "Kube"}-Proxy Version:\t${text(info, vocabulary.field("orchProxyVersion"))}`,
  );
  if (text(value, "spec", "podCIDR") !== "") w.field(0, "PodCIDR", text(value, "spec", "podCIDR"));
  if (texts(value, "spec", "podCIDRs").length > 0) w.field(0, "PodCIDRs", texts(value, "spec", "podCIDRs").join(","));
  if (text(value, "spec", "providerID") !== "") w.field(0, "ProviderID", text(value, "spec", "providerID"));
  await describeNodePods(w, value, context);
}

async function describeLease(w: DescriptionWriter, node: Json, context: Context): Promise<void> {
  const vocabulary = await context.vocabulary();
  const resource = (await context.discovery()).find("leases");
  const lease =
    resource === undefined
      ? undefined
      : await context
          .at(resource)
          .get({ namespace: vocabulary.word("orch-node-lease"), name: nameOf(node) })
          .catch(() => undefined);
  if (lease === undefined) {
    const group = vocabulary.group("coordination.orch.io");
    w.line(0, `Lease:\tFailed to get lease: leases.${group} "${nameOf(node)}" not found`);
    return;
  }
  w.line(0, "Lease:");
  w.line(1, `HolderIdentity:\t${text(lease, "spec", "holderIdentity") || "<unset>"}`);
  w.line(1, "AcquireTime:\t<unset>");
  w.line(
    1,
    `RenewTime:\t${text(lease, "spec", "renewTime") === "" ? "<unset>" : time(text(lease, "spec", "renewTime"))}`,
  );
}

async function describeNodePods(w: DescriptionWriter, node: Json, context: Context): Promise<void> {
  const resource = (await context.discovery()).find("pods");
  const pods: Json[] = [];
  if (resource !== undefined)
    for await (const pod of context.at(resource).items({
      fieldSelector: `spec.nodeName=${nameOf(node)},status.phase!=Failed,status.phase!=Succeeded`,
    }))
      pods.push(pod);
  w.line(0, `Non-terminated Pods:\t(${pods.length} in total)`);
  w.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
  w.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
  const total = new Map<string, Quantity>();
  for (const pod of pods) {
    const cells = amounts.map(([kind, name]) => {
      const sum = sumOf(pod, kind, name);
      const key = `${kind}/${name}`;
      const before = total.get(key);
      total.set(key, before === undefined ? sum : addQuantities(before, sum));
      return share(node, name, sum);
    });
    w.line(1, [namespaceOf(pod), nameOf(pod), "", ...cells, ageOf(pod, context)].join("\t"));
  }
  w.line(0, "Allocated resources:");
  w.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
  w.line(1, "Resource\tRequests\tLimits");
  w.line(1, "--------\t--------\t------");
  for (const name of ["cpu", "memory"]) {
    const shown = (kind: string) => share(node, name, total.get(`${kind}/${name}`) ?? zero);
    w.line(1, `${name}\t${shown("requests")}\t${shown("limits")}`);
  }
  w.line(1, `ephemeral-storage\t0 (0%)\t0 (0%)`);
}

const zero = parseQuantity("0")!;
const amounts = [
  ["requests", "cpu"],
  ["limits", "cpu"],
  ["requests", "memory"],
  ["limits", "memory"],
] as const;

function sumOf(pod: Json, kind: string, name: string): Quantity {
  const all = list(pod, "spec", "containers").map(
    (container) => parseQuantity(text(container, "resources", kind, name) || "0") ?? zero,
  );
  return all.reduce(addQuantities, zero);
}

/** "250m (12%)" of the node's allocatable amount. */
function share(node: Json, name: string, sum: Quantity): string {
  const all = parseQuantity(text(node, "status", "allocatable", name) || "0") ?? zero;
  const percent = milliValue(all) === 0n ? 0n : (milliValue(sum) * 100n) / milliValue(all);
  return `${sum.text} (${percent}%)`;
}

export async function describeNamespace(w: DescriptionWriter, value: Json, context: Context): Promise<void> {
  w.field(0, "Name", nameOf(value));
  describeLabels(w, value);
  w.field(0, "Status", text(value, "status", "phase"));
  const conditions = list(value, "status", "conditions");
  if (conditions.length > 0) {
    w.line(0, "Conditions:");
    w.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage");
    w.line(1, "----\t------\t------------------\t------\t-------");
    for (const one of conditions)
      w.line(
        1,
        [
          text(one, "type"),
          text(one, "status"),
          time(text(one, "lastTransitionTime")),
          text(one, "reason"),
          text(one, "message"),
        ].join("\t"),
      );
  }
  const discovery = await context.discovery();
  for (const [type, title, print] of [
    ["resourcequotas", "resource quota", quotaTable],
    ["limitranges", "LimitRange resource", limitTable],
  ] as const) {
    const resource = discovery.find(type);
    const found: Json[] = [];
    if (resource !== undefined)
      for await (const one of context.at(resource).items({ namespace: nameOf(value) })) found.push(one);
    w.flush();
    w.line(0, "");
    if (found.length === 0) {
      w.line(0, `No ${title}.`);
      continue;
    }
    w.line(0, type === "resourcequotas" ? "Resource Quotas" : "Resource Limits");
    for (const one of found) print(w, one, " ");
  }
}

function quotaTable(w: DescriptionWriter, value: Json, start: string): void {
  w.line(0, `${start}Name:\t${nameOf(value)}`);
  w.line(0, `${start}Resource\tUsed\tHard`);
  w.line(0, `${start}--------\t---\t---`);
  for (const [name, hard] of entries(value, "status", "hard"))
    w.line(0, `${start}${name}\t${text(value, "status", "used", name)}\t${hard}`);
}

export function describeQuota(w: DescriptionWriter, value: Json): void {
  describeName(w, value);
  const scopes = texts(value, "spec", "scopes");
  if (scopes.length > 0) w.field(0, "Scopes", scopes.sort().join(", "));
  w.line(0, "Resource\tUsed\tHard");
  w.line(0, "--------\t----\t----");
  for (const [name, hard] of entries(value, "status", "hard"))
    w.line(0, `${name}\t${text(value, "status", "used", name)}\t${hard}`);
}

function limitTable(w: DescriptionWriter, value: Json, start: string): void {
  w.line(0, start + "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio");
  w.line(0, start + "----\t--------\t---\t---\t---------------\t-------------\t-----------------------");
  for (const item of list(value, "spec", "limits")) {
    const keys = ["min", "max", "defaultRequest", "default", "maxLimitRequestRatio"] as const;
    const names = [...new Set(keys.flatMap((key) => Object.keys(object(item, key))))].sort();
    for (const name of names)
      w.line(0, start + [text(item, "type"), name, ...keys.map((key) => text(item, key, name) || "-")].join("\t"));
  }
}

export function describeLimitRange(w: DescriptionWriter, value: Json): void {
  describeName(w, value);
  limitTable(w, value, "");
}

export function describePersistentVolume(w: DescriptionWriter, value: Json): void {
  const spec = object(value, "spec");
  w.field(0, "Name", nameOf(value));
  describeLabels(w, value);
  w.field(0, "Finalizers", `[${texts(value, "metadata", "finalizers").join(" ")}]`);
  w.field(0, "StorageClass", text(spec, "storageClassName"));
  w.field(0, "Status", text(value, "status", "phase"));
  w.field(
    0,
    "Claim",
    isJson(spec["claimRef"]) ? `${text(spec, "claimRef", "namespace")}/${text(spec, "claimRef", "name")}` : "",
  );
  w.field(0, "Reclaim Policy", text(spec, "persistentVolumeReclaimPolicy"));
  w.field(0, "Access Modes", modes(texts(spec, "accessModes")));
  w.field(0, "VolumeMode", text(spec, "volumeMode"));
  w.field(0, "Capacity", text(spec, "capacity", "storage"));
  w.field(0, "Node Affinity", isJson(spec["nodeAffinity"]) ? "" : "<none>");
  w.field(0, "Message", text(value, "status", "message"));
  w.line(0, "Source:");
  const { claimRef: _, capacity: __, nodeAffinity: ___, ...source } = spec;
  describeSource(w, source);
}

const short: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};
const modes = (all: readonly string[]): string => all.map((mode) => short[mode] ?? mode).join(",");

/** The names of the pods that mount a claim. */
async function podsWithClaim(claim: Json, context: Context): Promise<string[]> {
  const resource = (await context.discovery()).find("pods");
  if (resource === undefined) return [];
  const names: string[] = [];
  for await (const pod of context.at(resource).items({ namespace: namespaceOf(claim) })) {
    const claims = list(pod, "spec", "volumes").map((volume) => text(volume, "persistentVolumeClaim", "claimName"));
    if (claims.includes(nameOf(claim))) names.push(nameOf(pod));
  }
  return names;
}

export async function describeClaim(w: DescriptionWriter, value: Json, context: Context): Promise<void> {
  const spec = object(value, "spec");
  describeName(w, value);
  w.field(0, "StorageClass", text(spec, "storageClassName"));
  w.field(0, "Status", text(value, "status", "phase"));
  w.field(0, "Volume", text(spec, "volumeName"));
  describeLabels(w, value);
  w.field(0, "Finalizers", `[${texts(value, "metadata", "finalizers").join(" ")}]`);
  w.field(0, "Capacity", text(value, "status", "capacity", "storage"));
  w.field(0, "Access Modes", modes(texts(value, "status", "accessModes")));
  w.field(0, "VolumeMode", text(spec, "volumeMode"));
  const users = await podsWithClaim(value, context);
  w.field(0, "Used By", users[0] ?? "<none>");
  for (const name of users.slice(1)) w.line(0, `\t${name}`);
}

export function describeStorageClass(w: DescriptionWriter, value: Json): void {
  w.field(0, "Name", nameOf(value));
  const isDefault = entries(value, "metadata", "annotations").some(
    ([key, text]) => key.endsWith("/is-default-class") && text === "true",
  );
  w.field(0, "IsDefaultClass", isDefault ? "Yes" : "No");
  w.field(0, "Annotations", annotationLine(value));
  w.field(0, "Provisioner", text(value, "provisioner"));
  w.field(
    0,
    "Parameters",
    entries(value, "parameters")
      .map(([key, text]) => `${key}=${text}`)
      .join(",") || "<none>",
  );
  w.field(
    0,
    "AllowVolumeExpansion",
    text(value, "allowVolumeExpansion") === ""
      ? "<unset>"
      : text(value, "allowVolumeExpansion") === "true"
        ? "True"
        : "False",
  );
  w.field(0, "MountOptions", texts(value, "mountOptions").join(",") || "<none>");
  w.field(0, "ReclaimPolicy", text(value, "reclaimPolicy"));
  w.field(0, "VolumeBindingMode", text(value, "volumeBindingMode"));
}

export function describePriorityClass(w: DescriptionWriter, value: Json): void {
  w.field(0, "Name", nameOf(value));
  w.field(0, "Value", text(value, "value"));
  w.field(0, "GlobalDefault", String(value["globalDefault"] === true));
  w.field(0, "Description", text(value, "description"));
  w.field(0, "Annotations", annotationLine(value));
}

/** All annotations in one line, as kubectl prints them for these kinds. */
const annotationLine = (value: Json): string =>
  entries(value, "metadata", "annotations")
    .map(([key, value]) => `${key}=${value}`)
    .join(",") || "<none>";

export function describeDisruptionBudget(w: DescriptionWriter, value: Json): void {
  const spec = object(value, "spec");
  describeName(w, value);
  if (text(spec, "minAvailable") !== "") w.field(0, "Min available", text(spec, "minAvailable"));
  if (text(spec, "maxUnavailable") !== "") w.field(0, "Max unavailable", text(spec, "maxUnavailable"));
  w.field(0, "Selector", selectorText(spec["selector"]).replace("<none>", "<unset>"));
  w.line(0, "Status:");
  for (const [title, key] of [
    ["Allowed disruptions", "disruptionsAllowed"],
    ["Current", "currentHealthy"],
    ["Desired", "desiredHealthy"],
    ["Total", "expectedPods"],
  ] as const)
    w.line(2, `${title}:\t${number(value, "status", key) ?? 0}`);
}
