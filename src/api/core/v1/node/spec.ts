/** The fields of nodes. */

import { cidrVersion, isCidr, isLabelValue } from "../../../../machinery/meta/names.ts";
import type { Static } from "../../../../machinery/schema/build.ts";
import {
  bool,
  elided,
  int32,
  int64,
  list,
  oneWord,
  optional,
  string,
  struct,
  time,
} from "../../../../machinery/schema/build.ts";
import { checker } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  duplicate,
  each,
  type FieldErrors,
  noErrors,
  ofEach,
  together,
} from "../../../../machinery/status/field-error.ts";
import { parseOddRange, takesOddForms } from "../../../address-forms.ts";
import { changeFields, resourceList } from "../../../common-fields.ts";
import { validateFamilies } from "../../../ip.ts";
import { validateResourceAmount } from "../../../resource-names.ts";
import { repetitions } from "../../../validation.ts";
import { taintEffects } from "../pod/scheduling.ts";

const AttachedVolume = struct("core.v1.AttachedVolume", {
  name: string().at(1).doc("The name of the attached volume."),
  devicePath: string().at(2).doc("The device of the node under which the volume is available."),
});

export const ConfigMapNodeConfigSource = struct("core.v1.ConfigMapNodeConfigSource", {
  namespace: string().at(1).required().named("label").doc("The namespace of the config map."),
  name: string()
    .at(2)
    .required()
    .named("subdomain")
    .doc("The name of the config map with the configuration of the node agent. Required."),
  uid: elided(string()).at(3).doc("The uid of the config map; must not be set in spec."),
  resourceVersion: elided(string()).at(4).doc("The resourceVersion of the config map; must not be set in spec."),
  orchletConfigKey: string()
    .at(5)
    .required()
    .named("configKey")
    .doc("The key that holds the configuration of the node agent. Required."),
});

const ContainerImage = struct("core.v1.ContainerImage", {
  names: list(string())
    .at(1)
    .from("1.22", (names) => names.listed(false))
    .doc("Names by which the image is known."),
  sizeBytes: elided(int64()).at(2).doc("The size of the image in bytes; 0 or absent: not known."),
});

const DaemonEndpoint = struct("core.v1.DaemonEndpoint", {
  Port: int32().at(1).doc("The port that the daemon listens on."),
});

const NodeAddress = struct("core.v1.NodeAddress", {
  type: string().at(1).doc("Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS."),
  address: string().at(2).doc("The IP address or name of the node, in the form that type defines."),
});

export const NodeCondition = struct("core.v1.NodeCondition", {
  type: string().at(1).doc("Ready, MemoryPressure, DiskPressure, PIDPressure or NetworkUnavailable."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  lastHeartbeatTime: elided(time()).at(3).doc("When the node last reported the condition."),
  ...changeFields(4),
});
export type NodeCondition = Static<typeof NodeCondition>;

export const NodeConfigSource = struct("core.v1.NodeConfigSource", {
  configMap: optional(ConfigMapNodeConfigSource).at(2).doc("The config map with the configuration of the node agent."),
});

const NodeConfigStatus = struct("core.v1.NodeConfigStatus", {
  assigned: optional(NodeConfigSource).at(1).doc("The configuration that the node agent will try to use."),
  active: optional(NodeConfigSource).at(2).doc("The configuration that the node agent uses."),
  lastKnownGood: optional(NodeConfigSource).at(3).doc("The configuration that the node agent falls back to."),
  error: elided(string()).at(4).doc("What is wrong with the assigned configuration."),
});

const NodeDaemonEndpoints = struct("core.v1.NodeDaemonEndpoints", {
  orchletEndpoint: elided(DaemonEndpoint).at(1).doc("The port on which the node agent listens."),
});

export const Taint = struct("core.v1.Taint", {
  key: string().at(1).named("qualified").doc("The key of the taint, which tolerations must name. Required."),
  value: elided(string())
    .at(2)
    .named((value) => [isLabelValue(value).join("; ")].filter((problems) => problems !== ""))
    .doc("The value of the taint, which tolerations with the operator Equal must have. Absent: the empty value."),
  effect: string().at(3).required().oneOf(taintEffects).doc("NoSchedule, PreferNoSchedule or NoExecute."),
  timeAdded: optional(time()).at(4).doc("When the taint was added; set for NoExecute."),
});
export type Taint = Static<typeof Taint>;

const Taints = list(Taint).checked((taints, path) =>
  repetitions(
    taints,
    ({ key, effect }) => `${effect}\0${key}`,
    (taint, at) => duplicate(`${path}[${at}]`, taint),
  ),
);

const NodePodPreemptionPolicy = struct("core.v1.NodePodPreemptionPolicy", {
  disableResizePreemption: elided(list(string(), { topology: "set" }))
    .at(1)
    .doc("Resources for whose resize no pods are preempted."),
});

export const NodeSpec = struct(
  "core.v1.NodeSpec",
  {
    podCIDR: elided(string())
      .at(1)
      .doc(
        "The range of addresses for pods of the node; the same as the first of podCIDRs. Cannot be changed once it is set.",
      ),
    externalID: elided(string())
      .at(2)
      .immutable("may not be updated")
      .doc("Deprecated. It is stored, but has no effect."),
    providerID: elided(string())
      .at(3)
      .before("1.36", (id) => id.setOnce())
      .from("1.36", (id) => id.setOnce("field is immutable", { isInvalid: true }))
      .doc("The id of the machine at its provider; cannot be changed once set."),
    unschedulable: elided(bool()).at(4).doc("Whether new pods are kept off the node. Default: false."),
    // v1.21 reports taints under metadata.
    taints: elided(Taints)
      .at(5)
      .reported("../metadata.taints")
      .doc("Taints that pods must tolerate to run on the node."),
    configSource: optional(NodeConfigSource)
      .at(6)
      .unchecked()
      .behind("DynamicKubeletConfig")
      .doc("Deprecated. Where the node agent reads its configuration; needs the feature gate DynamicKubeletConfig."),
    podCIDRs: elided(list(string(), { patchStrategy: "merge" }))
      .at(7)
      .checked(validateRanges)
      .setOnce()
      .doc("The address ranges of the pods of the node, at most one of each IP family; cannot be changed once set."),
    podPreemptionPolicy: optional(NodePodPreemptionPolicy)
      .at(8)
      .since("1.37")
      .behind("InPlacePodVerticalScalingSchedulerPreemption")
      .doc("Which pods of the node may be preempted."),
  },
  { defaults: syncRanges },
);
export type NodeSpec = Static<typeof NodeSpec>;

const NodeSwapStatus = struct("core.v1.NodeSwapStatus", {
  capacity: optional(int64()).at(1).doc("The swap space of the node in bytes."),
});

const NodeRuntimeHandlerFeatures = struct("core.v1.NodeRuntimeHandlerFeatures", {
  recursiveReadOnlyMounts: optional(bool()).at(1).doc("Whether mounts can be read-only with all below them."),
  userNamespaces: optional(bool()).at(2).since("1.31").doc("Whether pods can have user namespaces of their own."),
});

const NodeRuntimeHandler = struct("core.v1.NodeRuntimeHandler", {
  name: string().at(1).listed(false).doc("The name of the handler; empty for the default one."),
  features: optional(NodeRuntimeHandlerFeatures).at(2).doc("What the handler supports."),
});

const NodeFeatures = struct("core.v1.NodeFeatures", {
  supplementalGroupsPolicy: optional(bool())
    .at(1)
    .doc("Whether the container runtime supports supplementalGroupsPolicy of pods."),
});

const NodeSystemInfo = struct("core.v1.NodeSystemInfo", {
  machineID: string().at(1).doc("The content of /etc/machine-id on the node."),
  systemUUID: string().at(2).doc("The UUID of the hardware, as its firmware reports it."),
  bootID: string().at(3).doc("An id that changes with every boot."),
  kernelVersion: string().at(4).doc("The version of the kernel, as uname -r prints it."),
  osImage: string().at(5).doc("The name of the operating system image."),
  containerRuntimeVersion: string().at(6).doc("The container runtime and its version, as NAME://VERSION."),
  orchletVersion: string().at(7).doc("The version of the node agent, such as v1.21.0."),
  orchProxyVersion: string().at(8).doc("The version of the network proxy."),
  operatingSystem: string().at(9).doc("The operating system, such as linux."),
  architecture: string().at(10).doc("The processor architecture, such as amd64."),
  swap: optional(NodeSwapStatus).at(11).since("1.33").doc("The swap space of the node."),
  runningInUserNamespace: optional(bool()).at(12).since("1.37").doc("Whether the node agent runs in a user namespace."),
});

export const NodeStatus = struct(
  "core.v1.NodeStatus",
  {
    capacity: elided(resourceList()).at(1).checked(validateAmounts).doc("The total resources of the node."),
    allocatable: elided(resourceList())
      .at(2)
      .checked(validateAmounts)
      .doc("The resources that pods may use. Absent: capacity."),
    phase: elided(oneWord(["Pending", "Running", "Terminated"]))
      .at(3)
      .doc("Deprecated. It is stored, but has no effect."),
    conditions: elided(list(NodeCondition, { patchStrategy: "merge", patchMergeKey: "type" }))
      .at(4)
      .doc("The current state of the object, one entry for each condition type."),
    addresses: elided(list(NodeAddress, { patchStrategy: "merge", patchMergeKey: "type" }))
      .at(5)
      .checked((addresses) => repetitions(addresses, keyOf, (address, at) => duplicate(`[${at}]`, address)))
      .doc("Addresses under which the node can be reached."),
    daemonEndpoints: elided(NodeDaemonEndpoints).at(6).doc("The ports of daemons on the node, such as the node agent."),
    nodeInfo: elided(NodeSystemInfo).at(7).doc("Ids of the machine, and the versions of its software."),
    images: elided(list(ContainerImage))
      .at(8)
      .doc("The container images that the node has, largest first. A node may list only some of them."),
    volumesInUse: elided(list(string())).at(9).doc("Attachable volumes that are mounted on the node."),
    volumesAttached: elided(list(AttachedVolume)).at(10).doc("Volumes that are attached to the node."),
    config: optional(NodeConfigStatus).at(11).doc("The state of the configuration of the node agent."),
    runtimeHandlers: elided(list(NodeRuntimeHandler))
      .at(12)
      .since("1.30")
      .doc("The handlers of the container runtime, and what each supports."),
    features: optional(NodeFeatures).at(13).since("1.31").doc("What the container runtime of the node supports."),
    declaredFeatures: elided(list(string()))
      .at(14)
      .since("1.35")
      // An agent may report them later, whatever the gate says.
      .behind("NodeDeclaredFeatures", { onlyNew: true })
      .doc("Features that the node agent has; needs the feature gate NodeDeclaredFeatures."),
  },
  { defaults: fillAllocatable },
);
export type NodeStatus = Static<typeof NodeStatus>;

const keyOf = ({ type, address }: Static<typeof NodeAddress>): string => `${type}\0${address}`;

function validateRanges(ranges: readonly string[], path: string, environment: Environment): FieldErrors {
  const isTaken = (range: string) => takesOddForms(environment) && parseOddRange(range) !== undefined;
  return together(
    ofEach(ranges, (range, index) => (isTaken(range) ? noErrors : each(isCidr(range), `${path}[${index}]`, range))),
    validateFamilies(ranges, cidrVersion, path, "may hold no more than one range for each IP family"),
  );
}

function validateAmounts(amounts: Readonly<Record<string, string>>, _path: string, environment: Environment) {
  return ofEach(Object.entries(amounts), ([name, amount]) => validateResourceAmount(name, amount, name, environment));
}

export const checkTaints = checker(Taints);

/** Old clients write and read one range, new ones several: the first is the same. */
function syncRanges(spec: { podCIDR?: string; podCIDRs?: string[] }): void {
  const [first] = spec.podCIDRs ?? [];
  if (spec.podCIDR && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR];
  else if (first) spec.podCIDR = first;
}

/** Allocatable is the whole capacity, unless the node sets less. */
function fillAllocatable(status: { capacity?: Record<string, string>; allocatable?: Record<string, string> }): void {
  if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
}
