/** The state of a pod and of its containers, as the system writes it. */

import type { Static } from "../../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct, time } from "../../../../machinery/schema/build.ts";

export const ContainerStateWaiting = struct("core.v1.ContainerStateWaiting", {
  reason: elided(string()).at(1).doc("One word that says why the container is not running, such as ImagePullBackOff."),
  message: elided(string()).at(2).doc("A message for people about the reason."),
});
export type ContainerStateWaiting = Static<typeof ContainerStateWaiting>;

export const ContainerStateRunning = struct("core.v1.ContainerStateRunning", {
  startedAt: elided(time()).at(1).doc("When the container was last started."),
});
export type ContainerStateRunning = Static<typeof ContainerStateRunning>;

export const ContainerStateTerminated = struct("core.v1.ContainerStateTerminated", {
  exitCode: int32().at(1).doc("The exit code of the container; 0 means success."),
  signal: elided(int32()).at(2).doc("The signal that ended the container."),
  reason: elided(string()).at(3).doc("One word that says why the container ended."),
  message: elided(string()).at(4).doc("The termination message of the container."),
  startedAt: elided(time()).at(5).doc("When this run of the container began."),
  finishedAt: elided(time()).at(6).doc("When the container ended."),
  containerID: elided(string()).at(7).doc("The id of the container, as TYPE://ID."),
});
export type ContainerStateTerminated = Static<typeof ContainerStateTerminated>;

export const ContainerState = struct("core.v1.ContainerState", {
  waiting: optional(ContainerStateWaiting).at(1).doc("Set while the container is not running yet."),
  running: optional(ContainerStateRunning)
    .at(2)
    .doc("Details of a running container; present while the container runs."),
  terminated: optional(ContainerStateTerminated).at(3).doc("Set when the container has ended."),
});
export type ContainerState = Static<typeof ContainerState>;

export const ContainerStatus = struct("core.v1.ContainerStatus", {
  name: string().at(1).doc("The name of the container in spec."),
  state: elided(ContainerState).at(2).doc("What the container is doing now."),
  lastState: elided(ContainerState).at(3).doc("How the previous run of the container ended."),
  ready: bool().at(4).doc("Whether the container passes its readiness probe."),
  restartCount: int32().at(5).doc("How often the container was restarted."),
  image: string().at(6).doc("The image that the container runs."),
  imageID: string().at(7).doc("The id of that image, with its digest."),
  containerID: elided(string()).at(8).doc("The id of the container, as TYPE://ID."),
  started: optional(bool()).at(9).doc("Whether the container has passed its startup probe; reset when it restarts."),
});
export type ContainerStatus = Static<typeof ContainerStatus>;

export const PodCondition = struct("core.v1.PodCondition", {
  type: string()
    .at(1)
    .doc("PodScheduled, Initialized, ContainersReady, Ready, or a type named in spec.readinessGates."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  lastProbeTime: elided(time()).at(3).doc("When the condition was last checked."),
  lastTransitionTime: elided(time()).at(4).doc("When status last changed from one value to another."),
  reason: elided(string()).at(5).doc("One CamelCase word, for programs, that says why the condition last changed."),
  message: elided(string()).at(6).doc("A sentence for people about the last change; may be empty."),
});
export type PodCondition = Static<typeof PodCondition>;

export const PodIP = struct("core.v1.PodIP", {
  ip: elided(string()).at(1).doc("One IP address of the pod."),
});
export type PodIP = Static<typeof PodIP>;

export const PodStatus = struct("core.v1.PodStatus", {
  phase: elided(string()).at(1).doc("Pending, Running, Succeeded, Failed or Unknown."),
  conditions: elided(list(PodCondition, { patchStrategy: "merge", patchMergeKey: "type" }))
    .at(2)
    .doc("The current state of the object, one entry for each condition type."),
  message: elided(string()).at(3).doc("A sentence about why the pod is in this state."),
  reason: elided(string()).at(4).doc("One word that says why the pod is in this state, such as Evicted."),
  hostIP: elided(string())
    .at(5)
    .doc("The IP address of the node that the pod runs on. Empty until the pod has a node."),
  podIP: elided(string())
    .at(6)
    .doc("The IP address of the pod; the same as the first of podIPs. Empty until the pod has one."),
  startTime: optional(time()).at(7).doc("When the node agent first saw the pod."),
  containerStatuses: elided(list(ContainerStatus)).at(8).doc("The state of each container of the pod."),
  qosClass: elided(string())
    .at(9)
    .doc("Guaranteed, Burstable or BestEffort, from the requests and limits of the containers."),
  initContainerStatuses: elided(list(ContainerStatus)).at(10).doc("The state of every init container."),
  nominatedNodeName: elided(string()).at(11).doc("The node on which other pods are being preempted for this pod."),
  podIPs: elided(list(PodIP, { patchStrategy: "merge", patchMergeKey: "ip" }))
    .at(12)
    .doc("All IP addresses of the pod, at most one of each family; the first is podIP."),
  ephemeralContainerStatuses: elided(list(ContainerStatus)).at(13).doc("The state of every ephemeral container."),
});
export type PodStatus = Static<typeof PodStatus>;
