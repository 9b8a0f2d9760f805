/** A container of a pod. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { resourceList } from "../../resource-list.ts";
import { Lifecycle, Probe } from "./container-actions.ts";
import { EnvFromSource, EnvVar } from "./container-env.ts";
import { imageTag } from "./image-name.ts";
import { SecurityContext } from "./security-context.ts";

export const ContainerPort = struct("core.v1.ContainerPort", {
  name: elided(string()).at(1).doc("A name by which services may refer to it, unique in the pod."),
  hostPort: elided(int32()).at(2).doc("The port of the node that leads here; most pods need none."),
  containerPort: int32().at(3).doc("The port in the container."),
  protocol: elided(string()).at(4).default("TCP").doc("TCP, UDP or SCTP."),
  hostIP: elided(string()).at(5).doc("The address of the node that hostPort is bound to."),
});
export type ContainerPort = Static<typeof ContainerPort>;

export const ResourceRequirements = struct("core.v1.ResourceRequirements", {
  limits: elided(resourceList()).at(1).doc("The most of each resource that may be taken."),
  requests: elided(resourceList()).at(2).doc("How much of each is set aside; absent: the same as limits."),
});
export type ResourceRequirements = Static<typeof ResourceRequirements>;

export const VolumeMount = struct("core.v1.VolumeMount", {
  name: string().at(1).doc("Which volume of the pod."),
  readOnly: elided(bool()).at(2).doc("Whether it can only be read there."),
  mountPath: string().at(3).doc("Where in the file system of the container it appears."),
  subPath: elided(string()).at(4).doc("A path within the volume in place of its root."),
  mountPropagation: optional(string())
    .at(5)
    .doc("None, HostToContainer or Bidirectional: who sees what is mounted below it later."),
  subPathExpr: elided(string())
    .at(6)
    .doc("A path within the volume in which $(NAME) stands for a variable; excludes subPath."),
});
export type VolumeMount = Static<typeof VolumeMount>;

export const VolumeDevice = struct("core.v1.VolumeDevice", {
  name: string().at(1),
  devicePath: string().at(2),
});
export type VolumeDevice = Static<typeof VolumeDevice>;

export const Container = struct(
  "core.v1.Container",
  {
    name: string().at(1).doc("What the container is called within its pod: a DNS label, unique there, not changeable."),
    image: elided(string()).at(2).doc("Which image it runs."),
    command: elided(list(string()))
      .at(3)
      .doc("What is started in place of the image's entry point; no shell. $(NAME) stands for a variable of env."),
    args: elided(list(string()))
      .at(4)
      .doc("What the command is given in place of the image's own arguments; $(NAME) as in command."),
    workingDir: elided(string()).at(5).doc("Where it is started; absent: where the image says."),
    ports: elided(
      list(ContainerPort, {
        topology: "map",
        keys: ["containerPort", "protocol"],
        patchStrategy: "merge",
        patchMergeKey: "containerPort",
      }),
    )
      .at(6)
      .doc("Ports it listens on. For information: a port that is not named here can be reached all the same."),
    env: elided(list(EnvVar, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(7)
      .doc("Variables of its environment."),
    resources: elided(ResourceRequirements).at(8).doc("What it needs and how much it may take."),
    volumeMounts: elided(list(VolumeMount, { patchStrategy: "merge", patchMergeKey: "mountPath" }))
      .at(9)
      .doc("Volumes of the pod that it sees in its file system, and where."),
    livenessProbe: optional(Probe).at(10).doc("Asked again and again; the container is started anew when it fails."),
    readinessProbe: optional(Probe)
      .at(11)
      .doc("Asked again and again; while it fails, services send nothing to the pod."),
    lifecycle: optional(Lifecycle)
      .at(12)
      .doc("What is done right after it has started and right before it is stopped."),
    terminationMessagePath: elided(string())
      .at(13)
      .default("/dev/termination-log")
      .doc("The file whose content is shown as its last message."),
    imagePullPolicy: elided(string())
      .at(14)
      .doc("Always, Never or IfNotPresent. Default: Always for the tag latest, otherwise IfNotPresent."),
    securityContext: optional(SecurityContext).at(15).doc("What it may do on the node; wins over that of the pod."),
    stdin: elided(bool()).at(16).doc("Whether it keeps an open standard input."),
    stdinOnce: elided(bool()).at(17).doc("Whether standard input ends with the first client that was attached to it."),
    tty: elided(bool()).at(18).doc("Whether it gets a terminal; needs stdin."),
    envFrom: elided(list(EnvFromSource))
      .at(19)
      .doc(
        "Config maps and secrets whose keys all become variables; env wins over them, and the last over those before.",
      ),
    terminationMessagePolicy: elided(string())
      .at(20)
      .default("File")
      .doc("File, or FallbackToLogsOnError to show the end of its log when that file is empty."),
    volumeDevices: elided(list(VolumeDevice, { patchStrategy: "merge", patchMergeKey: "devicePath" }))
      .at(21)
      .doc("Block devices of the pod that it sees, and where."),
    startupProbe: optional(Probe)
      .at(22)
      .doc("Asked first: until it succeeds the other probes wait, and when it fails the container is started anew."),
  },
  { defaults: choosePullPolicy },
);
export type Container = Static<typeof Container>;

export const EphemeralContainer = struct(
  "core.v1.EphemeralContainer",
  {
    name: string().at(1, "ephemeralContainerCommon"),
    image: elided(string()).at(2, "ephemeralContainerCommon"),
    command: elided(list(string())).at(3, "ephemeralContainerCommon"),
    args: elided(list(string())).at(4, "ephemeralContainerCommon"),
    workingDir: elided(string()).at(5, "ephemeralContainerCommon"),
    ports: elided(list(ContainerPort)).at(6, "ephemeralContainerCommon"),
    env: elided(list(EnvVar, { patchStrategy: "merge", patchMergeKey: "name" })).at(7, "ephemeralContainerCommon"),
    resources: elided(ResourceRequirements).at(8, "ephemeralContainerCommon"),
    volumeMounts: elided(list(VolumeMount, { patchStrategy: "merge", patchMergeKey: "mountPath" })).at(
      9,
      "ephemeralContainerCommon",
    ),
    livenessProbe: optional(Probe).at(10, "ephemeralContainerCommon"),
    readinessProbe: optional(Probe).at(11, "ephemeralContainerCommon"),
    lifecycle: optional(Lifecycle).at(12, "ephemeralContainerCommon"),
    terminationMessagePath: elided(string()).at(13, "ephemeralContainerCommon").default("/dev/termination-log"),
    imagePullPolicy: elided(string()).at(14, "ephemeralContainerCommon"),
    securityContext: optional(SecurityContext).at(15, "ephemeralContainerCommon"),
    stdin: elided(bool()).at(16, "ephemeralContainerCommon"),
    stdinOnce: elided(bool()).at(17, "ephemeralContainerCommon"),
    tty: elided(bool()).at(18, "ephemeralContainerCommon"),
    envFrom: elided(list(EnvFromSource)).at(19, "ephemeralContainerCommon"),
    terminationMessagePolicy: elided(string()).at(20, "ephemeralContainerCommon").default("File"),
    volumeDevices: elided(list(VolumeDevice, { patchStrategy: "merge", patchMergeKey: "devicePath" })).at(
      21,
      "ephemeralContainerCommon",
    ),
    startupProbe: optional(Probe).at(22, "ephemeralContainerCommon"),
    targetContainerName: elided(string()).at(2),
  },
  { inline: { ephemeralContainerCommon: 1 }, defaults: choosePullPolicy },
);
export type EphemeralContainer = Static<typeof EphemeralContainer>;

/** An image that may move under its name is pulled every time. */
function choosePullPolicy(container: { image?: string; imagePullPolicy?: string }): void {
  if (container.imagePullPolicy) return;
  container.imagePullPolicy = imageTag(container.image ?? "") === "latest" ? "Always" : "IfNotPresent";
}
