/** The spec of a pod, and the template from which controllers create pods. */

import { validateLabels } from "../../../../machinery/meta/labels.ts";
import type { Static } from "../../../../machinery/schema/build.ts";
import {
  bool,
  elided,
  int32,
  int64,
  list,
  map,
  nullable,
  optional,
  printed,
  string,
  struct,
} from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { ObjectMetaStruct } from "../../../../machinery/schema/object-meta.ts";
import { duplicate, type FieldErrors, noErrors, notSupported } from "../../../../machinery/status/field-error.ts";
import { resourceList } from "../../../common-fields.ts";
import { repeats } from "../../../validation.ts";
import { dropOldAnnotations } from "../old-annotations.ts";
import { LocalObjectReference } from "../references.ts";
import { Volume } from "../volume/volume.ts";
import { Container, EphemeralContainer, ResourceRequirements } from "./container.ts";
import { PodDNSConfig } from "./dns.ts";
import { PodResourceClaim } from "./resource-claims.ts";
import { Affinity, Toleration, TopologySpreadConstraint, validateSpread } from "./scheduling.ts";
import { PodSecurityContext } from "./security-context.ts";
import { validateResourceRequirements } from "./validate-resources.ts";

const hostnameMax = 64;
export const deadlineSecondsMax = 2147483647;
const systems = ["linux", "windows"];

/** v1.35 reports it for what the name is in. */
const validateSystem = (name: string): FieldErrors =>
  systems.includes(name) ? noErrors : [notSupported("..", name, systems)];

function validateGates(gates: readonly { readonly name: string }[], path: string): FieldErrors {
  const names = gates.map(({ name }) => name);
  return [...repeats(names)].map((index) => duplicate(`${path}[${index}]`, names[index]));
}

/** As if they were the limits of one more container. */
const validateOverhead = (limits: Record<string, string>, path: string, environment: Environment) =>
  validateResourceRequirements({ limits }, path, environment);

const HostAlias = struct("core.v1.HostAlias", {
  ip: elided(string())
    .at(1)
    .from("1.30", printed)
    .named("ip")
    .evenEmpty()
    .before("1.30", (ip) => ip.reported("../ip"))
    .doc("The IP address of the entry in the hosts file."),
  hostnames: elided(
    list(
      string()
        .named("subdomain")
        .before("1.30", (name) => name.reported("")),
    ),
  )
    .at(2)
    .before("1.30", (names) => names.reported("../hostnames"))
    .doc("The host names that resolve to the address."),
});

const PodReadinessGate = struct("core.v1.PodReadinessGate", {
  conditionType: string()
    .at(1)
    .named("qualified")
    .doc("The type of a pod condition that must be True for the pod to be ready."),
});

const PodOS = struct("core.v1.PodOS", {
  name: string().at(1).required().checked(validateSystem).doc("The operating system: linux or windows."),
});

const PodSchedulingGate = struct("core.v1.PodSchedulingGate", {
  name: string().at(1).named("qualified").evenEmpty().reported("").doc("The name of the gate, unique in the pod."),
});

const WorkloadReference = struct("core.v1.WorkloadReference", {
  name: string().at(1).doc("The name of the Workload, in the namespace of the pod."),
  podGroup: string().at(2).doc("The group of pods within the Workload."),
  podGroupReplicaKey: elided(string()).at(3).doc("Which replica of the group the pod is part of."),
});

const PodSchedulingGroup = struct(
  "core.v1.PodSchedulingGroup",
  { podGroupName: optional(string()).at(1).named("subdomain").doc("The PodGroup, in the namespace of the pod.") },
  { unions: [{ "fields-to-discriminateBy": { podGroupName: "PodGroupName" } }] },
);

const EvictionResponder = struct(
  "core.v1.EvictionResponder",
  {
    name: string().at(1).required().named("qualified").doc("Who answers: a domain and a name."),
    priority: nullable(int32())
      .listed(true)
      .at(2)
      .required()
      .atLeast(0)
      .doc("Those with the highest number answer first."),
  },
  { topology: "atomic" },
);

const isOfImage = (volume: unknown): boolean => (volume as Volume).image !== undefined;

/** Containers cannot mount a volume that is dropped. In place: other fields of the same containers are dropped too. */
function unmount(holder: object, volumes: readonly unknown[]): void {
  const spec = holder as PodSpec;
  const gone = new Set((volumes as readonly Volume[]).map(({ name }) => name));
  if (spec.volumes?.length === 0) delete spec.volumes;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const { volumeMounts = [] } = container;
    const left = volumeMounts.filter(({ name }) => !gone.has(name));
    if (left.length === volumeMounts.length) continue;
    if (left.length > 0) container.volumeMounts = left;
    else delete container.volumeMounts;
  }
}

export const PodSpec = struct(
  "core.v1.PodSpec",
  {
    volumes: elided(list(Volume, { patchStrategy: "merge,retainKeys", patchMergeKey: "name" }))
      .at(1)
      .unchecked()
      .behind("ImageVolume", { items: isOfImage, forget: unmount })
      .doc("Volumes that containers can mount."),
    containers: list(Container, { patchStrategy: "merge", patchMergeKey: "name" })
      .at(2)
      .required()
      .uniqueBy("name")
      // Only init containers had a policy before.
      .from("1.34", (containers) => containers.behind("ContainerRestartRules", { member: "restartPolicy" }))
      .doc("The containers of the pod, at least one; cannot be added or removed."),
    restartPolicy: elided(string())
      .at(3)
      .required()
      .oneOf(["Always", "OnFailure", "Never"])
      .default("Always")
      .doc("When containers are restarted: Always, OnFailure or Never. Default: Always."),
    terminationGracePeriodSeconds: optional(int64())
      .at(4)
      .default(30)
      .doc("Seconds that containers may take to stop before they are killed; 0 kills at once. Default: 30."),
    activeDeadlineSeconds: optional(int64())
      .at(5)
      .atLeast(1)
      .atMost(deadlineSecondsMax)
      .doc("Seconds after its start until the pod counts as failed. Absent: no limit."),
    dnsPolicy: elided(string())
      .at(6)
      .required()
      .oneOf(["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"])
      .default("ClusterFirst")
      .doc("ClusterFirst, ClusterFirstWithHostNet, Default or None. Default: ClusterFirst."),
    nodeSelector: elided(map(string(), { from: { "1.22": { topology: "atomic" } } }))
      .at(7)
      .checked(validateLabels)
      .doc("Labels that a node must have to run the pod."),
    serviceAccountName: elided(string())
      .at(8)
      .named("subdomain")
      .doc("The service account that containers use for the API. Default: default."),
    serviceAccount: elided(string()).at(9).doc("Deprecated: use serviceAccountName."),
    nodeName: elided(string())
      .at(10)
      .named("subdomain")
      .doc("The node that runs the pod; a pod created with it is not scheduled."),
    hostNetwork: elided(bool()).at(11).doc("Whether the pod uses the network of the node. Default: false."),
    hostPID: elided(bool()).at(12).doc("Whether the pod sees the processes of the node. Default: false."),
    hostIPC: elided(bool()).at(13).doc("Whether the pod uses the IPC namespace of the node. Default: false."),
    securityContext: optional(PodSecurityContext)
      .at(14)
      .default({})
      .doc("Security settings of all containers; a container may override them."),
    imagePullSecrets: elided(list(LocalObjectReference, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(15)
      .doc("Secrets with the credentials to pull the images."),
    hostname: elided(string()).at(16).named("label").doc("The host name of the pod. Absent: the name of the pod."),
    subdomain: elided(string())
      .at(17)
      .named("label")
      .doc("Makes the full host name HOSTNAME.SUBDOMAIN.NAMESPACE.svc.CLUSTER_DOMAIN."),
    affinity: optional(Affinity)
      .at(18)
      .doc("Rules on the nodes and on the neighbouring pods that the pod needs or prefers."),
    schedulerName: elided(string())
      .at(19)
      .default("default-scheduler")
      .doc("The scheduler that chooses the node. Absent: the default scheduler."),
    initContainers: elided(list(Container, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(20)
      .uniqueBy("name")
      .behind("SidecarContainers", { member: "restartPolicy" })
      .doc("Containers that run one after another, each to completion, before the others start."),
    automountServiceAccountToken: optional(bool())
      .at(21)
      .doc("Whether containers get a token of the service account. Absent: the setting of the service account."),
    tolerations: elided(list(Toleration)).at(22).doc("Taints of nodes that the pod tolerates."),
    hostAliases: elided(list(HostAlias, { patchStrategy: "merge", patchMergeKey: "ip" }))
      .at(23)
      .doc("Entries that are added to the hosts file of the pod."),
    priorityClassName: elided(string())
      .at(24)
      .named("subdomain")
      .doc("The priority class of the pod. Absent: the default class, or priority 0."),
    priority: optional(int32()).at(25).doc("The priority of the pod; set from the priority class."),
    dnsConfig: optional(PodDNSConfig).at(26).unchecked().doc("DNS servers and options, added to those of dnsPolicy."),
    shareProcessNamespace: optional(bool())
      .at(27)
      .doc("Whether containers see the processes of each other; excludes hostPID. Default: false."),
    readinessGates: elided(list(PodReadinessGate))
      .at(28)
      .doc("Further pod conditions that must be True for the pod to be ready."),
    runtimeClassName: optional(string())
      .at(29)
      .named("subdomain")
      .doc("The runtime class to run the pod with. Absent: the default runtime of the node."),
    enableServiceLinks: optional(bool())
      .at(30)
      .doc("Whether containers get environment variables for the services of the namespace. Default: true."),
    preemptionPolicy: optional(string())
      .at(31)
      .filled()
      .oneOf(["PreemptLowerPriority", "Never"])
      .doc(
        "Whether the pod may evict pods of lower priority: PreemptLowerPriority or Never. Default: PreemptLowerPriority.",
      ),
    overhead: elided(resourceList())
      .at(32)
      .checked(validateOverhead)
      .doc("Resources that running the pod costs on top of its containers; set from the runtime class."),
    topologySpreadConstraints: elided(
      list(TopologySpreadConstraint, {
        topology: "map",
        keys: ["topologyKey", "whenUnsatisfiable"],
        patchStrategy: "merge",
        patchMergeKey: "topologyKey",
      }),
    )
      .at(33)
      .checked(validateSpread)
      .doc("How evenly matching pods are spread over zones, nodes or other places; all must be met."),
    ephemeralContainers: elided(list(EphemeralContainer, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(34)
      .unchecked()
      .behind("EphemeralContainers")
      .doc("Containers added to a running pod for debugging, through the subresource ephemeralcontainers."),
    setHostnameAsFQDN: optional(bool()).at(35).doc("Whether the host name is the full domain name. Default: false."),
    os: optional(PodOS)
      .at(36)
      .since("1.23")
      .behind("IdentifyPodOS")
      .doc("The operating system of the containers; fields of the other one cannot be set then."),
    hostUsers: optional(bool())
      .at(37)
      .since("1.25")
      .behind("UserNamespacesSupport")
      .doc("Whether the pod uses the user namespace of the node. Default: true."),
    schedulingGates: elided(
      list(PodSchedulingGate, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" }),
    )
      .at(38)
      .since("1.26")
      .behind("PodSchedulingReadiness")
      .checked(validateGates)
      .doc("The pod is not scheduled until all of them are removed; they can only be set when it is created."),
    resourceClaims: elided(
      list(PodResourceClaim, {
        topology: "map",
        keys: ["name"],
        patchStrategy: "merge,retainKeys",
        patchMergeKey: "name",
      }),
    )
      .at(39)
      .since("1.26")
      .behind("DynamicResourceAllocation")
      .uniqueBy("name")
      .doc("Resource claims that must be allocated before the pod may start; containers refer to them by name."),
    resources: optional(ResourceRequirements)
      .at(40)
      .since("1.32")
      .behind("PodLevelResources")
      .doc("Resources of the pod as a whole, cpu, memory and hugepages; containers share them."),
    hostnameOverride: optional(string())
      .at(41)
      .since("1.34")
      .max(hostnameMax)
      .named("subdomain")
      .behind("HostnameOverride")
      .doc("The host name of the pod as it is, in place of hostname and subdomain; excludes setHostnameAsFQDN."),
    workloadRef: optional(WorkloadReference)
      .at(42)
      .since("1.35")
      .until("1.36")
      .behind("GenericWorkload")
      .doc("The Workload that the pod belongs to; needs the feature gate GenericWorkload."),
    schedulingGroup: optional(PodSchedulingGroup)
      .at(43)
      .since("1.36")
      .behind("GenericWorkload")
      .doc("The group of pods that are scheduled together; needs the feature gate GenericWorkload."),
    evictionResponders: elided(
      list(EvictionResponder, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" }),
    )
      .at(44)
      .since("1.37")
      .uniqueBy("name")
      .behind("EvictionRequestAPI")
      .doc("Who answers requests to evict the pod; needs the feature gate EvictionRequestAPI."),
  },
  { defaults: defaultPodSpec },
);
export type PodSpec = Static<typeof PodSpec>;

export const PodTemplateSpec = struct(
  "core.v1.PodTemplateSpec",
  {
    metadata: elided(ObjectMetaStruct).at(1).doc("Labels and annotations of the pods."),
    spec: elided(PodSpec).at(2).unchecked().doc("The spec of the created pods."),
  },
  { defaults: ({ metadata }, environment) => dropOldAnnotations(metadata, environment) },
);
export type PodTemplateSpec = Static<typeof PodTemplateSpec>;

interface PortedContainer {
  ports?: { containerPort: number; hostPort?: number }[];
}
interface SpecParts {
  serviceAccountName?: string;
  serviceAccount?: string;
  hostNetwork?: boolean;
  containers: PortedContainer[] | null;
  initContainers?: PortedContainer[];
}

function defaultPodSpec(spec: SpecParts): void {
  // The account has two names for the sake of old clients; the newer one wins and both are shown.
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  if (!spec.hostNetwork) return;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
}
