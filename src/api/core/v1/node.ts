/** A Node is a machine that runs pods. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, int64, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { resourceList } from "../../resource-list.ts";
import { addressText, rolesText, statusText, systemText } from "./node-columns.ts";
import { validateNode, validateNodeUpdate } from "./validate-node.ts";

export const AttachedVolume = struct("core.v1.AttachedVolume", {
  name: string().at(1),
  devicePath: string().at(2),
});
export type AttachedVolume = Static<typeof AttachedVolume>;

export const ConfigMapNodeConfigSource = struct("core.v1.ConfigMapNodeConfigSource", {
  namespace: string().at(1),
  name: string().at(2),
  uid: elided(string()).at(3),
  resourceVersion: elided(string()).at(4),
  orchletConfigKey: string().at(5),
});
export type ConfigMapNodeConfigSource = Static<typeof ConfigMapNodeConfigSource>;

export const ContainerImage = struct("core.v1.ContainerImage", {
  names: list(string()).at(1),
  sizeBytes: elided(int64()).at(2),
});
export type ContainerImage = Static<typeof ContainerImage>;

export const DaemonEndpoint = struct("core.v1.DaemonEndpoint", {
  Port: int32().at(1),
});
export type DaemonEndpoint = Static<typeof DaemonEndpoint>;

export const NodeAddress = struct("core.v1.NodeAddress", {
  type: string().at(1),
  address: string().at(2),
});
export type NodeAddress = Static<typeof NodeAddress>;

export const NodeCondition = struct("core.v1.NodeCondition", {
  type: string().at(1),
  status: string().at(2),
  lastHeartbeatTime: elided(time()).at(3),
  lastTransitionTime: elided(time()).at(4),
  reason: elided(string()).at(5),
  message: elided(string()).at(6),
});
export type NodeCondition = Static<typeof NodeCondition>;

export const NodeConfigSource = struct("core.v1.NodeConfigSource", {
  configMap: optional(ConfigMapNodeConfigSource).at(2),
});
export type NodeConfigSource = Static<typeof NodeConfigSource>;

export const NodeConfigStatus = struct("core.v1.NodeConfigStatus", {
  assigned: optional(NodeConfigSource).at(1),
  active: optional(NodeConfigSource).at(2),
  lastKnownGood: optional(NodeConfigSource).at(3),
  error: elided(string()).at(4),
});
export type NodeConfigStatus = Static<typeof NodeConfigStatus>;

export const NodeDaemonEndpoints = struct("core.v1.NodeDaemonEndpoints", {
  orchletEndpoint: elided(DaemonEndpoint).at(1),
});
export type NodeDaemonEndpoints = Static<typeof NodeDaemonEndpoints>;

export const Taint = struct("core.v1.Taint", {
  key: string().at(1),
  value: elided(string()).at(2),
  effect: string().at(3),
  timeAdded: optional(time()).at(4),
});
export type Taint = Static<typeof Taint>;

export const NodeSpec = struct(
  "core.v1.NodeSpec",
  {
    podCIDR: elided(string()).at(1).doc("The first of podCIDRs, for clients that know one range only."),
    externalID: elided(string()).at(2),
    providerID: elided(string()).at(3).doc("The machine as its provider knows it; cannot be changed once set."),
    unschedulable: elided(bool()).at(4).doc("Whether new pods stay away."),
    taints: elided(list(Taint)).at(5).doc("What pods must tolerate to run here."),
    configSource: optional(NodeConfigSource).at(6),
    podCIDRs: elided(list(string(), { patchStrategy: "merge" }))
      .at(7)
      .doc("Addresses of the node's pods, one range for each IP family; cannot be changed once set."),
  },
  { defaults: syncRanges },
);
export type NodeSpec = Static<typeof NodeSpec>;

export const NodeSystemInfo = struct("core.v1.NodeSystemInfo", {
  machineID: string().at(1),
  systemUUID: string().at(2),
  bootID: string().at(3),
  kernelVersion: string().at(4),
  osImage: string().at(5),
  containerRuntimeVersion: string().at(6),
  orchletVersion: string().at(7),
  orchProxyVersion: string().at(8),
  operatingSystem: string().at(9),
  architecture: string().at(10),
});
export type NodeSystemInfo = Static<typeof NodeSystemInfo>;

export const NodeStatus = struct(
  "core.v1.NodeStatus",
  {
    capacity: elided(resourceList()).at(1),
    allocatable: elided(resourceList()).at(2),
    phase: elided(string()).at(3),
    conditions: elided(list(NodeCondition, { patchStrategy: "merge", patchMergeKey: "type" })).at(4),
    addresses: elided(list(NodeAddress, { patchStrategy: "merge", patchMergeKey: "type" })).at(5),
    daemonEndpoints: elided(NodeDaemonEndpoints).at(6),
    nodeInfo: elided(NodeSystemInfo).at(7),
    images: elided(list(ContainerImage)).at(8),
    volumesInUse: elided(list(string())).at(9),
    volumesAttached: elided(list(AttachedVolume)).at(10),
    config: optional(NodeConfigStatus).at(11),
  },
  { defaults: fillAllocatable },
);
export type NodeStatus = Static<typeof NodeStatus>;

export const Node = kind({
  group: "",
  version: "v1",
  kind: "Node",
  resource: "nodes",
  scope: "Cluster",
  shortNames: ["no"],
  doc: "A Node is a machine that runs pods.",
  fields: {
    spec: elided(NodeSpec).at(2),
    status: elided(NodeStatus).at(3),
  },
  // Nodes register with what they know of themselves.
  keepsStatusOnCreate: true,
  prepareForCreate(node, { gates }) {
    if (node.spec && !gates.enabled("DynamicKubeletConfig")) delete node.spec.configSource;
  },
  prepareForUpdate(node, old, { gates }) {
    const inUse = old.spec?.configSource !== undefined;
    if (node.spec && !inUse && !gates.enabled("DynamicKubeletConfig")) delete node.spec.configSource;
  },
  validate: validateNode,
  validateUpdate: (node, old, environment) => [
    ...validateNode(node, environment),
    ...validateNodeUpdate(node, old, environment),
  ],
  selectableFields: { "spec.unschedulable": (node) => String(node.spec?.unschedulable === true) },
  columns: (column) => [
    nameColumn,
    column("Status", statusText),
    column("Roles", rolesText),
    ageColumn,
    column("Version", (node, environment) => systemText(node, environment.vocabulary.field("orchletVersion"), "")),
    column("Internal-IP", (node) => addressText(node, "InternalIP"), { priority: 1 }),
    column("External-IP", (node) => addressText(node, "ExternalIP"), { priority: 1 }),
    column("OS-Image", (node) => systemText(node, "osImage"), { priority: 1 }),
    column("Kernel-Version", (node) => systemText(node, "kernelVersion"), { priority: 1 }),
    column("Container-Runtime", (node) => systemText(node, "containerRuntimeVersion"), { priority: 1 }),
  ],
  subresources: [
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      shownKind: "NodeProxyOptions",
      action: "nodes/proxy",
      connects: { path: "text" },
    },
    status({ validate: validateNodeUpdate }),
  ],
});
export type Node = Static<typeof Node>;

/** Old clients write and read one range, new ones several: the first is the same. */
function syncRanges(spec: { podCIDR?: string; podCIDRs?: string[] }): void {
  const [first] = spec.podCIDRs ?? [];
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR];
  else if (first) spec.podCIDR = first;
}

/** What pods may use is everything there is, unless the node says less. */
function fillAllocatable(status: { capacity?: Record<string, string>; allocatable?: Record<string, string> }): void {
  if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
}
