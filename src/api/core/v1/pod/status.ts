/** The state of a pod and of its containers, as the system writes it. */

import { isQualifiedName } from "../../../../machinery/meta/names.ts";
import type { Static } from "../../../../machinery/schema/build.ts";
import {
  bool,
  elided,
  int32,
  int64,
  list,
  map,
  nullable,
  oneWord,
  optional,
  printed,
  quantity,
  string,
  struct,
  time,
} from "../../../../machinery/schema/build.ts";
import { changeFields, resourceList } from "../../../common-fields.ts";
import { healthConditions } from "../volume/volume-health.ts";
import { ResourceRequirements } from "./container.ts";
import { PodExtendedResourceClaimStatus, PodResourceClaimStatus } from "./resource-claims.ts";
import { idMax } from "./security-context.ts";
import { stopSignals } from "./stop-signals.ts";

const ContainerStateWaiting = struct("core.v1.ContainerStateWaiting", {
  reason: elided(string()).at(1).doc("One word that says why the container is not running, such as ImagePullBackOff."),
  message: elided(string()).at(2).doc("A message for people about the reason."),
});

const ContainerStateRunning = struct("core.v1.ContainerStateRunning", {
  startedAt: elided(time()).at(1).doc("When the container was last started."),
});

const ContainerStateTerminated = struct("core.v1.ContainerStateTerminated", {
  exitCode: int32().at(1).doc("The exit code of the container; 0 means success."),
  signal: elided(int32()).at(2).doc("The signal that ended the container."),
  reason: elided(string()).at(3).doc("One word that says why the container ended."),
  message: elided(string()).at(4).doc("The termination message of the container."),
  startedAt: elided(time()).at(5).doc("When this run of the container began."),
  finishedAt: elided(time()).at(6).doc("When the container ended."),
  containerID: elided(string()).at(7).doc("The id of the container, as TYPE://ID."),
});

const ContainerState = struct("core.v1.ContainerState", {
  waiting: optional(ContainerStateWaiting).at(1).doc("Set while the container is not running yet."),
  running: optional(ContainerStateRunning)
    .at(2)
    .doc("Details of a running container; present while the container runs."),
  terminated: optional(ContainerStateTerminated).at(3).doc("Set when the container has ended."),
});

const ImageVolumeStatus = struct("core.v1.ImageVolumeStatus", {
  imageRef: elided(string()).listed(true).at(1).doc("The image with its digest."),
});

const VolumeStatus = struct("core.v1.VolumeStatus", {
  image: optional(ImageVolumeStatus).at(1).doc("What an image volume has in fact."),
});

const VolumeMountStatus = struct("core.v1.VolumeMountStatus", {
  name: string().at(1).doc("The name of the volume."),
  mountPath: string().at(2).doc("Where the volume is mounted."),
  readOnly: elided(bool()).at(3).doc("Whether it is mounted read-only."),
  recursiveReadOnly: optional(string()).at(4).doc("Whether mounts below it are read-only too: Disabled or Enabled."),
  volumeStatus: optional(VolumeStatus)
    .at(5)
    .since("1.36")
    .behind("ImageVolumeWithDigest")
    .doc("What the node knows of the volume."),
});

const LinuxContainerUser = struct("core.v1.LinuxContainerUser", {
  uid: int64().at(1).atLeast(0).atMost(idMax).doc("The uid of the first process of the container."),
  gid: int64().at(2).atLeast(0).atMost(idMax).doc("The gid of the first process of the container."),
  supplementalGroups: elided(list(int64().atLeast(0).atMost(idMax)))
    .at(3)
    .doc("Further groups of the first process of the container."),
});

export const ContainerUser = struct("core.v1.ContainerUser", {
  linux: optional(LinuxContainerUser).at(1).doc("The ids of the first process, if the container runs on Linux."),
});

const ResourceHealth = struct("core.v1.ResourceHealth", {
  resourceID: string().at(1).doc("The id of the device."),
  health: elided(string()).at(2).doc("Healthy, Unhealthy or Unknown."),
  message: optional(string())
    .at(6)
    .since("1.36")
    .behind("ResourceHealthStatusMessage")
    .doc("A sentence about the health of the device."),
});

const ResourceStatus = struct("core.v1.ResourceStatus", {
  name: string().at(1).doc("The resource, or claim:NAME/REQUEST for devices of a claim."),
  resources: elided(list(ResourceHealth, { topology: "map", keys: ["resourceID"] }))
    .at(2)
    .doc("The health of each device of the resource."),
});

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
  allocatedResources: elided(resourceList())
    .at(10)
    .since("1.27")
    .doc("The resources that the node has reserved for the container."),
  resources: optional(ResourceRequirements)
    .at(11)
    .since("1.27")
    .doc("The requests and limits that are in force for the running container."),
  volumeMounts: elided(
    list(VolumeMountStatus, {
      topology: "map",
      keys: ["mountPath"],
      patchStrategy: "merge",
      patchMergeKey: "mountPath",
    }),
  )
    .at(12)
    .since("1.30")
    .doc("How the volumes are mounted in fact."),
  user: optional(ContainerUser).at(13).since("1.31").doc("The user that the container runs as in fact."),
  allocatedResourcesStatus: elided(
    list(ResourceStatus, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" }),
  )
    .at(14)
    .since("1.31")
    .from("1.33", (statuses) => statuses.behind("ResourceHealthStatus"))
    .doc("The health of the devices that were allocated for the container."),
  stopSignal: optional(string())
    .at(15)
    .since("1.33")
    .openApiEnum(stopSignals)
    .doc("The signal that stops the container in fact."),
});
export type ContainerStatus = Static<typeof ContainerStatus>;

const ownConditions = ["PodScheduled", "Ready", "Initialized"];

export const PodCondition = struct("core.v1.PodCondition", {
  type: string()
    .at(1)
    .named((type) => (ownConditions.includes(type) ? [] : isQualifiedName(type)))
    .reported("Type")
    .doc("PodScheduled, Initialized, ContainersReady, Ready, or a type named in spec.readinessGates."),
  status: string().at(2).doc("Whether the condition holds: True, False or Unknown."),
  lastProbeTime: elided(time()).at(3).doc("When the condition was last checked."),
  ...changeFields(4),
  observedGeneration: elided(int64())
    .at(7)
    .since("1.33")
    .atLeast(0, "must not be negative")
    .behind("PodObservedGenerationTracking")
    .doc("The metadata.generation that the condition was computed from."),
});
export type PodCondition = Static<typeof PodCondition>;

const PodIP = struct("core.v1.PodIP", {
  ip: elided(string()).at(1).from("1.30", printed).doc("One IP address of the pod."),
});

const HostIP = struct("core.v1.HostIP", {
  ip: string().at(1).before("1.30", elided).doc("One IP address of the node."),
});

const PodVolumeHealth = struct("core.v1.PodVolumeHealth", {
  name: string().at(1).required().doc("The name of the volume in the pod."),
  healthConditions: healthConditions().at(2),
  lastTransitionTime: elided(time()).at(3).doc("When the conditions last changed."),
});

const NodeAllocatableMappedResources = struct("core.v1.NodeAllocatableMappedResources", {
  name: string().at(1).required().doc("The resource of the node, such as cpu."),
  quantity: nullable(quantity()).listed(true).at(2).doc("How much of it the devices stand for."),
});

const NodeAllocatableOverheadResources = struct("core.v1.NodeAllocatableOverheadResources", {
  name: string().at(1).required().doc("The resource of the node, such as memory."),
  perPod: optional(quantity()).at(2).doc("How much each pod needs beside."),
  perContainer: optional(quantity()).at(3).doc("How much each container needs beside."),
});

const NodeAllocatableResourceClaimStatus = struct("core.v1.NodeAllocatableResourceClaimStatus", {
  resourceClaimName: string().at(1).required().doc("The ResourceClaim."),
  containers: elided(list(string(), { topology: "set" }))
    .at(2)
    .doc("The containers that use the claim."),
  resources: map(quantity()).at(3).until("1.37").doc("The resources of the node that the devices stand for."),
  mapping: elided(
    list(NodeAllocatableMappedResources, {
      topology: "map",
      keys: ["name"],
      patchStrategy: "merge",
      patchMergeKey: "name",
    }),
  )
    .at(4)
    .since("1.37")
    .doc("The resources of the node that the devices stand for."),
  overhead: elided(
    list(NodeAllocatableOverheadResources, {
      topology: "map",
      keys: ["name"],
      patchStrategy: "merge",
      patchMergeKey: "name",
    }),
  )
    .at(5)
    .since("1.37")
    .doc("The resources of the node that the devices need beside."),
});

export const PodStatus = struct("core.v1.PodStatus", {
  phase: elided(oneWord(["Failed", "Pending", "Running", "Succeeded", "Unknown"]))
    .at(1)
    .doc("Pending, Running, Succeeded, Failed or Unknown."),
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
    .openApiEnum(["BestEffort", "Burstable", "Guaranteed"])
    .from("1.32", (qosClass) => qosClass.immutable())
    .doc("Guaranteed, Burstable or BestEffort, from the requests and limits of the containers."),
  initContainerStatuses: elided(list(ContainerStatus)).at(10).doc("The state of every init container."),
  nominatedNodeName: elided(string())
    .at(11)
    .named("subdomain")
    .ratcheted()
    .doc("The node on which other pods are being preempted for this pod."),
  podIPs: elided(list(PodIP, { patchStrategy: "merge", patchMergeKey: "ip" }))
    .at(12)
    .doc("All IP addresses of the pod, at most one of each family; the first is podIP."),
  ephemeralContainerStatuses: elided(list(ContainerStatus)).at(13).doc("The state of every ephemeral container."),
  resize: elided(string())
    .at(14)
    .since("1.27")
    .doc("Deprecated: what became of a resize that was asked for; conditions tell it now."),
  resourceClaimStatuses: elided(
    list(PodResourceClaimStatus, {
      topology: "map",
      keys: ["name"],
      patchStrategy: "merge,retainKeys",
      patchMergeKey: "name",
    }),
  )
    .at(15)
    .since("1.28")
    .uniqueBy("name")
    .doc("Which ResourceClaim stands for each claim that was made from a template."),
  hostIPs: elided(list(HostIP, { topology: "atomic", patchStrategy: "merge", patchMergeKey: "ip" }))
    .at(16)
    .since("1.28")
    .doc("All IP addresses of the node; the first is hostIP."),
  observedGeneration: elided(int64())
    .at(17)
    .since("1.33")
    .atLeast(0, "must not be negative")
    .behind("PodObservedGenerationTracking")
    .doc("The metadata.generation that the node agent has seen."),
  extendedResourceClaimStatus: optional(PodExtendedResourceClaimStatus)
    .at(18)
    .since("1.34")
    .behind("DRAExtendedResource")
    .doc("The ResourceClaim that was made for extended resources of the containers."),
  allocatedResources: elided(resourceList())
    .at(19)
    .since("1.35")
    .behind("InPlacePodLevelResourcesVerticalScaling", { keeps: "field" })
    .doc("The resources that the node has reserved for the pod as a whole."),
  resources: optional(ResourceRequirements)
    .at(20)
    .since("1.35")
    .behind("InPlacePodLevelResourcesVerticalScaling", { keeps: "field" })
    .doc("The requests and limits that are in force for the pod as a whole."),
  nodeAllocatableResourceClaimStatuses: elided(
    list(NodeAllocatableResourceClaimStatus, {
      topology: "atomic",
      from: {
        "1.37": {
          topology: "map",
          keys: ["resourceClaimName"],
          patchStrategy: "merge",
          patchMergeKey: "resourceClaimName",
        },
      },
    }),
  )
    .at(21)
    .since("1.36")
    .behind("DRANodeAllocatableResources")
    .doc("Claims whose devices stand for resources of the node."),
  volumeHealth: elided(list(PodVolumeHealth, { topology: "map", keys: ["name"] }))
    .at(22)
    .since("1.37")
    .behind("CSIVolumeHealth")
    .doc("The health of the volumes of the pod."),
});
export type PodStatus = Static<typeof PodStatus>;
