/** A Pod is a group of containers that run together on one node. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { dropOldAnnotations } from "./old-annotations.ts";
import { finishedConditions, gatesText, ipText, readyText, restarts, restartsText, statusText } from "./pod/columns.ts";
import { ephemeralContainersPath } from "./pod/ephemeral-containers.ts";
import { dropFieldsBehindGates } from "./pod/fields-behind-gates.ts";
import { qosClass } from "./pod/qos.ts";
import { syncSeccomp } from "./pod/seccomp.ts";
import { PodSpec } from "./pod/spec.ts";
import { validateNewPod } from "./pod/validate.ts";
import { validatePodStatusUpdate } from "./pod/validate-status.ts";
import { validatePodUpdate } from "./pod/validate-update.ts";

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

const evictionPath = { name: "eviction", verbs: ["create"], action: "pods/eviction" } as const;

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
    spec: elided(PodSpec).at(2).unchecked().doc("The desired state of the pod, set by its users."),
    status: elided(PodStatus).at(3).doc("The most recently observed state of the pod, written by the system."),
  },
  returnsDeleted: true,
  defaults(pod, environment) {
    dropOldAnnotations(pod.metadata, environment);
    if (!pod.spec) return;
    pod.spec.enableServiceLinks ??= true;
    for (const { resources } of [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])]) {
      // A limit is also the request where none is made.
      if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
    }
  },
  prepareForCreate(pod, environment) {
    pod.status = { phase: "Pending", qosClass: qosClass(pod.spec) };
    dropFieldsBehindGates(pod.spec, undefined, environment);
    syncSeccomp(pod, environment);
  },
  prepareForUpdate(pod, old, environment) {
    dropFieldsBehindGates(pod.spec, old.spec, environment);
  },
  validate: validateNewPod,
  validateUpdate: validatePodUpdate,
  // The volume of the account's token is added when defaults are filled in already.
  complete(pod) {
    const { spec } = pod;
    if (!spec?.volumes?.some(({ projected }) => projected !== undefined && projected.defaultMode === undefined))
      return pod;
    const volumes = spec.volumes.map((volume) =>
      volume.projected === undefined
        ? volume
        : { ...volume, projected: { ...volume.projected, defaultMode: volume.projected.defaultMode ?? 0o644 } },
    );
    return { ...pod, spec: { ...spec, volumes } };
  },
  gracefulDeletion: {
    // A pod that no node has, or that has ended, has nothing to shut down.
    graceSeconds(pod, requested) {
      if (!pod.spec?.nodeName || pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded") return 0;
      const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
      return seconds < 0 ? 1 : seconds;
    },
  },
  selectableFields: {
    "spec.nodeName": (pod) => pod.spec?.nodeName ?? "",
    "spec.restartPolicy": (pod) => pod.spec?.restartPolicy ?? "",
    "spec.schedulerName": (pod) => pod.spec?.schedulerName ?? "",
    "spec.serviceAccountName": (pod) => pod.spec?.serviceAccountName ?? "",
    "status.phase": (pod) => pod.status?.phase ?? "",
    "status.podIP": (pod) => pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? "",
    // Older and newer names that v1.21 accepts; the second never matches.
    "spec.host": (pod) => pod.spec?.nodeName ?? "",
    "status.podIPs": () => "",
    "status.nominatedNodeName": (pod) => pod.status?.nominatedNodeName ?? "",
  },
  from: { "1.33": { generation: true } },
  rowConditions: finishedConditions,
  columns: (column) => [
    nameColumn,
    column("Ready", readyText, { description: "How many containers are ready, of how many." }),
    column("Status", statusText, { description: "How the pod is doing, in one word." }),
    column("Restarts", restarts, {
      type: "integer",
      description: "How often containers were started again.",
      until: "1.22",
    }),
    column("Restarts", restartsText, { description: "How often containers were started again.", since: "1.22" }),
    ageColumn,
    column("IP", ipText, { priority: 1 }),
    column("Node", (pod) => pod.spec?.nodeName || "<none>", { priority: 1 }),
    column("Nominated Node", (pod) => pod.status?.nominatedNodeName || "<none>", { priority: 1 }),
    column("Readiness Gates", gatesText, { priority: 1 }),
  ],
  subresources: [
    {
      name: "attach",
      verbs: ["create", "get"],
      shownKind: "PodAttachOptions",
      action: "pods/attach",
      connects: { stdin: "flag", stdout: "flag", stderr: "flag", tty: "flag", container: "text" },
    },
    {
      name: "binding",
      verbs: ["create"],
      accepts: { group: "", version: "v1", kind: "Binding" },
      action: "pods/binding",
    },
    { ...evictionPath, accepts: { group: "policy", version: "v1beta1", kind: "Eviction" }, until: "1.22" },
    { ...evictionPath, accepts: { group: "policy", version: "v1", kind: "Eviction" }, since: "1.22" },
    {
      name: "exec",
      verbs: ["create", "get"],
      shownKind: "PodExecOptions",
      action: "pods/exec",
      connects: { stdin: "flag", stdout: "flag", stderr: "flag", tty: "flag", container: "text", command: "texts" },
    },
    ephemeralContainersPath,
    { name: "log", verbs: ["get"], action: "pods/log" },
    {
      name: "portforward",
      verbs: ["create", "get"],
      shownKind: "PodPortForwardOptions",
      action: "pods/portforward",
      connects: { ports: "numbers" },
    },
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      shownKind: "PodProxyOptions",
      action: "pods/proxy",
      connects: { path: "text" },
    },
    status({
      merge: mergeStatus,
      resets: ["metadata.deletionTimestamp", "metadata.ownerReferences"],
      validate: validatePodStatusUpdate,
    }),
  ],
});
export type Pod = Static<typeof Pod>;

interface PodParts {
  metadata: ObjectMeta;
  spec?: PodSpec;
  status?: PodStatus;
}

/** Only the status changes, and owners are kept: old agents damage them. */
function mergeStatus(written: unknown, parent: PodParts): PodParts {
  // The registry has decoded the body as a pod.
  const pod = written as PodParts;
  const { ownerReferences: _owners, ...metadata } = pod.metadata;
  const { ownerReferences } = parent.metadata;
  return {
    ...pod,
    metadata: ownerReferences === undefined ? metadata : { ...metadata, ownerReferences },
    spec: parent.spec ?? { containers: [] },
    status: withBothAddresses(pod.status ?? {}),
  };
}

/** Old clients know one address, which decides; new ones know several, of which it is the first. */
function withBothAddresses(status: PodStatus): PodStatus {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) return { ...status, podIPs: [{ ip: status.podIP }] };
  return first && !status.podIP ? { ...status, podIP: first } : status;
}
