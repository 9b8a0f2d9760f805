/** A Pod is a group of containers that run together on one node. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { PodSpec } from "./pod-spec.ts";

export const ContainerStateWaiting = struct("core.v1.ContainerStateWaiting", {
  reason: elided(string()).at(1),
  message: elided(string()).at(2),
});
export type ContainerStateWaiting = Static<typeof ContainerStateWaiting>;

export const ContainerStateRunning = struct("core.v1.ContainerStateRunning", {
  startedAt: elided(time()).at(1),
});
export type ContainerStateRunning = Static<typeof ContainerStateRunning>;

export const ContainerStateTerminated = struct("core.v1.ContainerStateTerminated", {
  exitCode: int32().at(1),
  signal: elided(int32()).at(2),
  reason: elided(string()).at(3),
  message: elided(string()).at(4),
  startedAt: elided(time()).at(5),
  finishedAt: elided(time()).at(6),
  containerID: elided(string()).at(7),
});
export type ContainerStateTerminated = Static<typeof ContainerStateTerminated>;

export const ContainerState = struct("core.v1.ContainerState", {
  waiting: optional(ContainerStateWaiting).at(1),
  running: optional(ContainerStateRunning).at(2),
  terminated: optional(ContainerStateTerminated).at(3),
});
export type ContainerState = Static<typeof ContainerState>;

export const ContainerStatus = struct("core.v1.ContainerStatus", {
  name: string().at(1),
  state: elided(ContainerState).at(2),
  lastState: elided(ContainerState).at(3),
  ready: bool().at(4),
  restartCount: int32().at(5),
  image: string().at(6),
  imageID: string().at(7),
  containerID: elided(string()).at(8),
  started: optional(bool()).at(9),
});
export type ContainerStatus = Static<typeof ContainerStatus>;

export const PodCondition = struct("core.v1.PodCondition", {
  type: string().at(1),
  status: string().at(2),
  lastProbeTime: elided(time()).at(3),
  lastTransitionTime: elided(time()).at(4),
  reason: elided(string()).at(5),
  message: elided(string()).at(6),
});
export type PodCondition = Static<typeof PodCondition>;

export const PodIP = struct("core.v1.PodIP", {
  ip: elided(string()).at(1),
});
export type PodIP = Static<typeof PodIP>;

export const PodStatus = struct("core.v1.PodStatus", {
  phase: elided(string()).at(1),
  conditions: elided(list(PodCondition, { patchStrategy: "merge", patchMergeKey: "type" })).at(2),
  message: elided(string()).at(3),
  reason: elided(string()).at(4),
  hostIP: elided(string()).at(5),
  podIP: elided(string()).at(6),
  startTime: optional(time()).at(7),
  containerStatuses: elided(list(ContainerStatus)).at(8),
  qosClass: elided(string()).at(9),
  initContainerStatuses: elided(list(ContainerStatus)).at(10),
  nominatedNodeName: elided(string()).at(11),
  podIPs: elided(list(PodIP, { patchStrategy: "merge", patchMergeKey: "ip" })).at(12),
  ephemeralContainerStatuses: elided(list(ContainerStatus)).at(13),
});
export type PodStatus = Static<typeof PodStatus>;

export const Pod = kind({
  group: "",
  version: "v1",
  kind: "Pod",
  resource: "pods",
  scope: "Namespaced",
  shortNames: ["po"],
  categories: ["all"],
  doc: "A Pod is a group of containers that run together on one node.",
  fields: {
    spec: elided(PodSpec).at(2),
    status: elided(PodStatus).at(3),
  },
  subresources: [
    { name: "attach", verbs: ["create", "get"], shownKind: "PodAttachOptions", action: "pods/attach" },
    { name: "binding", verbs: ["create"], shownKind: "Binding", action: "pods/binding" },
    {
      name: "eviction",
      verbs: ["create"],
      accepts: { group: "policy", version: "v1beta1", kind: "Eviction" },
      action: "pods/eviction",
    },
    { name: "exec", verbs: ["create", "get"], shownKind: "PodExecOptions", action: "pods/exec" },
    { name: "log", verbs: ["get"], action: "pods/log" },
    { name: "portforward", verbs: ["create", "get"], shownKind: "PodPortForwardOptions", action: "pods/portforward" },
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      shownKind: "PodProxyOptions",
      action: "pods/proxy",
    },
    status(),
  ],
});
export type Pod = Static<typeof Pod>;
