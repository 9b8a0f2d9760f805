/** A container of a pod. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { resourceList } from "../../resource-list.ts";
import { Lifecycle, Probe } from "./container-actions.ts";
import { EnvFromSource, EnvVar } from "./container-env.ts";
import { imageTag } from "./image-name.ts";
import { SecurityContext } from "./security-context.ts";

export const ContainerPort = struct("core.v1.ContainerPort", {
  name: elided(string()).at(1),
  hostPort: elided(int32()).at(2),
  containerPort: int32().at(3),
  protocol: elided(string()).at(4).default("TCP"),
  hostIP: elided(string()).at(5),
});
export type ContainerPort = Static<typeof ContainerPort>;

export const ResourceRequirements = struct("core.v1.ResourceRequirements", {
  limits: elided(resourceList()).at(1),
  requests: elided(resourceList()).at(2),
});
export type ResourceRequirements = Static<typeof ResourceRequirements>;

export const VolumeMount = struct("core.v1.VolumeMount", {
  name: string().at(1),
  readOnly: elided(bool()).at(2),
  mountPath: string().at(3),
  subPath: elided(string()).at(4),
  mountPropagation: optional(string()).at(5),
  subPathExpr: elided(string()).at(6),
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
    name: string().at(1),
    image: elided(string()).at(2),
    command: elided(list(string())).at(3),
    args: elided(list(string())).at(4),
    workingDir: elided(string()).at(5),
    ports: elided(
      list(ContainerPort, {
        topology: "map",
        keys: ["containerPort", "protocol"],
        patchStrategy: "merge",
        patchMergeKey: "containerPort",
      }),
    ).at(6),
    env: elided(list(EnvVar, { patchStrategy: "merge", patchMergeKey: "name" })).at(7),
    resources: elided(ResourceRequirements).at(8),
    volumeMounts: elided(list(VolumeMount, { patchStrategy: "merge", patchMergeKey: "mountPath" })).at(9),
    livenessProbe: optional(Probe).at(10),
    readinessProbe: optional(Probe).at(11),
    lifecycle: optional(Lifecycle).at(12),
    terminationMessagePath: elided(string()).at(13).default("/dev/termination-log"),
    imagePullPolicy: elided(string()).at(14),
    securityContext: optional(SecurityContext).at(15),
    stdin: elided(bool()).at(16),
    stdinOnce: elided(bool()).at(17),
    tty: elided(bool()).at(18),
    envFrom: elided(list(EnvFromSource)).at(19),
    terminationMessagePolicy: elided(string()).at(20).default("File"),
    volumeDevices: elided(list(VolumeDevice, { patchStrategy: "merge", patchMergeKey: "devicePath" })).at(21),
    startupProbe: optional(Probe).at(22),
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
