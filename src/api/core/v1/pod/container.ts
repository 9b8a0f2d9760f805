/** A container of a pod. */

import { hasParentStep } from "../../../../machinery/meta/paths.ts";
import type { Static } from "../../../../machinery/schema/build.ts";
import { bool, elided, int32, list, optional, string, struct } from "../../../../machinery/schema/build.ts";
import { resourceList } from "../../../common-fields.ts";
import { protocols } from "../protocols.ts";
import { Lifecycle, Probe } from "./container-actions.ts";
import { EnvFromSource, EnvVar } from "./container-env.ts";
import {
  ContainerResizePolicy,
  ContainerRestartRule,
  validateResizePolicies,
  validateRestartRules,
} from "./container-restart.ts";
import { imageTag } from "./image-name.ts";
import { ResourceClaim } from "./resource-claims.ts";
import { SecurityContext } from "./security-context.ts";
import { validateResourceRequirements } from "./validate-resources.ts";

const messagePolicies = ["File", "FallbackToLogsOnError"];

const ContainerPort = struct("core.v1.ContainerPort", {
  name: elided(string())
    .at(1)
    .named("portName")
    .doc("The name of the port, unique in the pod; services can refer to it."),
  hostPort: elided(int32())
    .at(2)
    .atLeast(1)
    .atMost(65535)
    .doc("The port of the node that is forwarded to the container. Absent: none."),
  containerPort: int32().at(3).required().atLeast(1).atMost(65535).doc("The port of the container, 1 to 65535."),
  protocol: elided(string())
    .at(4)
    .required()
    .oneOf(protocols)
    .openApiDefault("TCP")
    .doc("The protocol of the port: TCP, UDP or SCTP. Default: TCP."),
  hostIP: elided(string()).at(5).doc("The address of the node that hostPort is bound to."),
});

export const ResourceRequirements = struct("core.v1.ResourceRequirements", {
  limits: elided(resourceList()).at(1).doc("The most that may be used, by resource."),
  requests: elided(resourceList()).at(2).doc("The amount that is reserved, by resource. Default: the same as limits."),
  claims: elided(list(ResourceClaim, { topology: "map", keys: ["name"] }))
    .at(3)
    .since("1.26")
    .behind("DynamicResourceAllocation")
    .doc("Resource claims of the pod that the container uses."),
});
export type ResourceRequirements = Static<typeof ResourceRequirements>;

export const VolumeMount = struct("core.v1.VolumeMount", {
  name: string().at(1).required().doc("The name of the volume in the pod."),
  readOnly: elided(bool()).at(2).doc("Whether the volume is mounted read-only. Default: false."),
  mountPath: string().at(3).required().doc("The path in the container; must not contain ':'."),
  subPath: elided(string())
    .at(4)
    .named("relativePath")
    .reported("../subPath")
    .doc("A path within the volume that is mounted in place of its root."),
  mountPropagation: optional(string())
    .at(5)
    .oneOf(["None", "HostToContainer", "Bidirectional"])
    .reported("../mountPropagation")
    .doc("How mounts below it are shared with the node: None, HostToContainer or Bidirectional. Default: None."),
  subPathExpr: elided(string())
    .at(6)
    .named("relativePath")
    .reported("../subPathExpr")
    .doc("A path within the volume in which $(NAME) is replaced by a variable; excludes subPath."),
  recursiveReadOnly: optional(string())
    .at(7)
    .since("1.30")
    .behind("RecursiveReadOnlyMounts")
    .oneOf(["Disabled", "Enabled", "IfPossible"])
    .openApiEnum("none")
    .reported("../recursiveReadOnly")
    .doc("Whether mounts below it are read-only too: Disabled, IfPossible or Enabled. Default: Disabled."),
  bindMountOptions: elided(list(string(), { topology: "set" }))
    .at(8)
    .since("1.37")
    .behind("VolumeBindMountOptions")
    .doc("Options of the mount, such as noexec; needs the feature gate VolumeBindMountOptions."),
});
export type VolumeMount = Static<typeof VolumeMount>;

const VolumeDevice = struct("core.v1.VolumeDevice", {
  name: string().at(1).required().doc("The name of a persistent volume claim of the pod."),
  devicePath: string()
    .at(2)
    .required()
    .named((path) => (hasParentStep(path) ? ["can not contain backsteps ('..')"] : []))
    .doc("The path of the device in the container."),
});

export const Container = struct(
  "core.v1.Container",
  {
    name: string()
      .at(1)
      .required()
      .named("label")
      .doc("The name of the container: a DNS label, unique in the pod; cannot be changed."),
    image: elided(string())
      .at(2)
      .required()
      .doc(
        "The name of the image to run, such as nginx:1.21. Workload controllers may replace an absent one before the pod starts.",
      ),
    command: elided(list(string()))
      .at(3)
      .doc(
        "The command, in place of the entry point of the image; no shell is involved. $(NAME) is replaced by a variable of env.",
      ),
    args: elided(list(string()))
      .at(4)
      .doc("Arguments of the command, in place of those of the image; $(NAME) is replaced by a variable of env."),
    workingDir: elided(string()).at(5).doc("The working directory. Absent: that of the image."),
    ports: elided(
      list(ContainerPort, {
        topology: "map",
        keys: ["containerPort", "protocol"],
        patchStrategy: "merge",
        patchMergeKey: "containerPort",
      }),
    )
      .at(6)
      .uniqueBy("name", { isOfValid: true })
      .doc("Ports that the container listens on; for information, other ports can be reached as well."),
    env: elided(list(EnvVar, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(7)
      .doc("The environment variables of the container. They take precedence over those of envFrom."),
    resources: elided(ResourceRequirements)
      .at(8)
      .checked(validateResourceRequirements)
      .doc("Resources that the container requests and the limits on what it may use."),
    volumeMounts: elided(list(VolumeMount, { patchStrategy: "merge", patchMergeKey: "mountPath" }))
      .at(9)
      .uniqueBy("mountPath", { text: "must be unique" })
      .doc("Volumes of the pod to mount, and where."),
    livenessProbe: optional(Probe)
      .at(10) // In other probes it was never allowed: it stays for validation to refuse.
      .behind("ProbeTerminationGracePeriod", { member: "terminationGracePeriodSeconds" })
      .doc("Checked periodically; if it fails the container is restarted."),
    readinessProbe: optional(Probe)
      .at(11)
      .doc("Checked periodically; while it fails the pod gets no traffic from services."),
    lifecycle: optional(Lifecycle)
      .at(12)
      .behind("ContainerStopSignals", { member: "stopSignal", dropsEmptied: true })
      .doc("Actions after the container starts and before it is stopped."),
    terminationMessagePath: elided(string())
      .at(13)
      .default("/dev/termination-log")
      .doc("The file whose content becomes the termination message. Default: /dev/termination-log."),
    imagePullPolicy: elided(string())
      .at(14)
      .required()
      .oneOf(["Always", "IfNotPresent", "Never"])
      .doc("Always, Never or IfNotPresent. Default: Always for the tag latest, otherwise IfNotPresent."),
    securityContext: optional(SecurityContext)
      .at(15)
      .doc("Security settings of the container; they override those of the pod."),
    stdin: elided(bool()).at(16).doc("Whether standard input stays open. Default: false."),
    stdinOnce: elided(bool())
      .at(17)
      .doc("Whether standard input is closed after the first client disconnects. Default: false."),
    tty: elided(bool()).at(18).doc("Whether the container gets a terminal; needs stdin. Default: false."),
    envFrom: elided(list(EnvFromSource))
      .at(19)
      .doc(
        "Config maps and secrets whose keys become variables; env overrides them, and later entries override earlier ones.",
      ),
    terminationMessagePolicy: elided(string())
      .at(20)
      .required()
      .before("1.28", (policy) => policy.oneOf(messagePolicies, "must be File or FallbackToLogsOnError"))
      .from("1.28", (policy) => policy.oneOf(messagePolicies))
      .default("File")
      .doc("File, or FallbackToLogsOnError to use the end of the log if the file is empty. Default: File."),
    volumeDevices: elided(list(VolumeDevice, { patchStrategy: "merge", patchMergeKey: "devicePath" }))
      .at(21)
      .uniqueBy("name", { text: "must be unique", isOfValid: true })
      .uniqueBy("devicePath", { text: "must be unique", isOfValid: true })
      .doc("Block devices of the pod to make available, and where."),
    startupProbe: optional(Probe)
      .at(22)
      .behind("ProbeTerminationGracePeriod", { member: "terminationGracePeriodSeconds" })
      .doc("Checked first: the other probes wait until it succeeds, and if it fails the container is restarted."),
    resizePolicy: elided(list(ContainerResizePolicy.reported(""), { topology: "atomic" }))
      .at(23)
      .since("1.27")
      .behind("InPlacePodVerticalScaling")
      .checked(validateResizePolicies)
      .doc("Whether the container is restarted when its resources change. Absent: it is not."),
    restartPolicy: optional(string())
      .at(24)
      .openApiEnum("none")
      .since("1.28")
      // Before, it depends on the kind of container, so that it is checked with the pod.
      .from("1.34", (policy) => policy.oneOf(["Always", "OnFailure", "Never"]))
      .doc(
        "When this container is restarted, in place of the policy of the pod. An init container with Always runs beside the others.",
      ),
    restartPolicyRules: elided(list(ContainerRestartRule))
      .at(25)
      .since("1.34")
      .checked(validateRestartRules)
      .behind("ContainerRestartRules")
      .doc(
        "Rules that are tried in order when the container ends; the first that matches decides, else restartPolicy.",
      ),
  },
  { defaults: choosePullPolicy },
);
export type Container = Static<typeof Container>;

export const EphemeralContainer = struct(
  "core.v1.EphemeralContainer",
  {
    name: string()
      .at(1, "ephemeralContainerCommon")
      .doc("The name of the container, a DNS label, unique among all containers of the pod."),
    image: elided(string())
      .at(2, "ephemeralContainerCommon")
      .doc(
        "The name of the image to run, such as nginx:1.21. Workload controllers may replace an absent one before the pod starts.",
      ),
    command: elided(list(string()))
      .at(3, "ephemeralContainerCommon")
      .doc(
        "The command, in place of the entry point of the image; no shell is involved. $(NAME) is replaced by a variable of env.",
      ),
    args: elided(list(string()))
      .at(4, "ephemeralContainerCommon")
      .doc("Arguments of the command, in place of those of the image; $(NAME) is replaced by a variable of env."),
    workingDir: elided(string())
      .at(5, "ephemeralContainerCommon")
      .doc("The working directory. Absent: that of the image."),
    ports: elided(
      list(ContainerPort, {
        from: {
          "1.23": {
            topology: "map",
            keys: ["containerPort", "protocol"],
            patchStrategy: "merge",
            patchMergeKey: "containerPort",
          },
        },
      }),
    )
      .at(6, "ephemeralContainerCommon")
      .doc("Not allowed for ephemeral containers."),
    env: elided(list(EnvVar, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(7, "ephemeralContainerCommon")
      .doc("The environment variables of the container. They take precedence over those of envFrom."),
    resources: elided(ResourceRequirements)
      .at(8, "ephemeralContainerCommon")
      .doc("Not allowed for ephemeral containers, which use what is left of the pod."),
    volumeMounts: elided(list(VolumeMount, { patchStrategy: "merge", patchMergeKey: "mountPath" }))
      .at(9, "ephemeralContainerCommon")
      .doc("The volumes of the pod that are mounted into the container, each by its name."),
    livenessProbe: optional(Probe).at(10, "ephemeralContainerCommon").doc("Not allowed for ephemeral containers."),
    readinessProbe: optional(Probe).at(11, "ephemeralContainerCommon").doc("Not allowed for ephemeral containers."),
    lifecycle: optional(Lifecycle).at(12, "ephemeralContainerCommon").doc("Not allowed for ephemeral containers."),
    terminationMessagePath: elided(string())
      .at(13, "ephemeralContainerCommon")
      .default("/dev/termination-log")
      .doc("The file whose content becomes the termination message. Default: /dev/termination-log."),
    imagePullPolicy: elided(string())
      .at(14, "ephemeralContainerCommon")
      .openApiEnum(["Always", "IfNotPresent", "Never"])
      .doc("Always, Never or IfNotPresent. Default: Always for the tag latest, otherwise IfNotPresent."),
    securityContext: optional(SecurityContext)
      .at(15, "ephemeralContainerCommon")
      .doc("Security settings of the container."),
    stdin: elided(bool()).at(16, "ephemeralContainerCommon").doc("Whether standard input stays open. Default: false."),
    stdinOnce: elided(bool())
      .at(17, "ephemeralContainerCommon")
      .doc("Whether standard input is closed after the first client disconnects. Default: false."),
    tty: elided(bool())
      .at(18, "ephemeralContainerCommon")
      .doc("Whether the container gets a terminal; needs stdin. Default: false."),
    envFrom: elided(list(EnvFromSource))
      .at(19, "ephemeralContainerCommon")
      .doc("Config maps and secrets whose keys become variables."),
    terminationMessagePolicy: elided(string())
      .at(20, "ephemeralContainerCommon")
      .openApiEnum(["FallbackToLogsOnError", "File"])
      .default("File")
      .doc("File, or FallbackToLogsOnError to use the end of the log if the file is empty. Default: File."),
    volumeDevices: elided(list(VolumeDevice, { patchStrategy: "merge", patchMergeKey: "devicePath" }))
      .at(21, "ephemeralContainerCommon")
      .doc("Block devices of the pod to make available."),
    startupProbe: optional(Probe).at(22, "ephemeralContainerCommon").doc("Not allowed for ephemeral containers."),
    resizePolicy: elided(list(ContainerResizePolicy, { topology: "atomic" }))
      .at(23, "ephemeralContainerCommon")
      .since("1.27")
      .behind("InPlacePodVerticalScaling")
      .doc("Not allowed for ephemeral containers."),
    restartPolicy: optional(string())
      .at(24, "ephemeralContainerCommon")
      .since("1.28")
      .doc("Not allowed for ephemeral containers."),
    restartPolicyRules: elided(list(ContainerRestartRule))
      .at(25, "ephemeralContainerCommon")
      .since("1.34")
      .doc("Not allowed for ephemeral containers."),
    targetContainerName: elided(string())
      .at(2)
      .doc("The container whose namespaces this one shares. Absent: only those of the pod."),
  },
  { inline: { ephemeralContainerCommon: 1 }, defaults: choosePullPolicy },
);
export type EphemeralContainer = Static<typeof EphemeralContainer>;

/** An image that may move under its name is pulled every time. */
function choosePullPolicy(container: { image?: string; imagePullPolicy?: string }): void {
  if (container.imagePullPolicy) return;
  container.imagePullPolicy = imageTag(container.image ?? "") === "latest" ? "Always" : "IfNotPresent";
}
