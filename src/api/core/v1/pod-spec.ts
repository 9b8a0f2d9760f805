/** What a pod is asked to be, and the template from which controllers make pods. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, int64, list, map, optional, string, struct } from "../../../machinery/schema/build.ts";
import { ObjectMetaStruct } from "../../../machinery/schema/object-meta.ts";
import { resourceList } from "../../resource-list.ts";
import { Container, EphemeralContainer } from "./container.ts";
import { dropOldAnnotations } from "./old-annotations.ts";
import { LocalObjectReference } from "./references.ts";
import { Affinity, Toleration, TopologySpreadConstraint } from "./scheduling.ts";
import { PodSecurityContext } from "./security-context.ts";
import { Volume } from "./volume.ts";

export const HostAlias = struct("core.v1.HostAlias", {
  ip: elided(string()).at(1),
  hostnames: elided(list(string())).at(2),
});
export type HostAlias = Static<typeof HostAlias>;

export const PodDNSConfigOption = struct("core.v1.PodDNSConfigOption", {
  name: elided(string()).at(1),
  value: optional(string()).at(2),
});
export type PodDNSConfigOption = Static<typeof PodDNSConfigOption>;

export const PodDNSConfig = struct("core.v1.PodDNSConfig", {
  nameservers: elided(list(string())).at(1),
  searches: elided(list(string())).at(2),
  options: elided(list(PodDNSConfigOption)).at(3),
});
export type PodDNSConfig = Static<typeof PodDNSConfig>;

export const PodReadinessGate = struct("core.v1.PodReadinessGate", {
  conditionType: string().at(1),
});
export type PodReadinessGate = Static<typeof PodReadinessGate>;

export const PodSpec = struct(
  "core.v1.PodSpec",
  {
    volumes: elided(list(Volume, { patchStrategy: "merge,retainKeys", patchMergeKey: "name" }))
      .at(1)
      .doc("Storage that containers of the pod can mount."),
    containers: list(Container, { patchStrategy: "merge", patchMergeKey: "name" })
      .at(2)
      .doc("What runs in the pod: at least one. Containers cannot be added or removed later."),
    restartPolicy: elided(string())
      .at(3)
      .default("Always")
      .doc("Always, OnFailure or Never: when containers are started again."),
    terminationGracePeriodSeconds: optional(int64())
      .at(4)
      .default(30)
      .doc("How long containers may take to stop before they are killed; 0: not at all."),
    activeDeadlineSeconds: optional(int64()).at(5).doc("How long the pod may be active before it has failed."),
    dnsPolicy: elided(string())
      .at(6)
      .default("ClusterFirst")
      .doc("ClusterFirst, ClusterFirstWithHostNet, Default or None: where names are looked up."),
    nodeSelector: elided(map(string())).at(7).doc("Labels that a node must have to get the pod."),
    serviceAccountName: elided(string()).at(8).doc("The service account as which its containers speak to the API."),
    serviceAccount: elided(string()).at(9).doc("An old name of serviceAccountName."),
    nodeName: elided(string()).at(10).doc("The node it runs on. A pod that names one from the start is not scheduled."),
    hostNetwork: elided(bool()).at(11).doc("Whether it uses the network of the node."),
    hostPID: elided(bool()).at(12).doc("Whether it sees the processes of the node."),
    hostIPC: elided(bool()).at(13).doc("Whether it shares interprocess communication with the node."),
    securityContext: optional(PodSecurityContext)
      .at(14)
      .default({})
      .doc("What all its containers may do; a container may say otherwise for itself."),
    imagePullSecrets: elided(list(LocalObjectReference, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(15)
      .doc("Secrets with which its images are pulled."),
    hostname: elided(string()).at(16).doc("Its host name; absent: the name of the pod."),
    subdomain: elided(string())
      .at(17)
      .doc("Makes its full name HOSTNAME.SUBDOMAIN.NAMESPACE.svc and the domain of the cluster."),
    affinity: optional(Affinity).at(18).doc("Which nodes, and the neighbourhood of which pods, it needs or prefers."),
    schedulerName: elided(string()).at(19).default("default-scheduler").doc("Who chooses its node."),
    initContainers: elided(list(Container, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(20)
      .doc("Run one after the other, each to its end, before the others start."),
    automountServiceAccountToken: optional(bool()).at(21).doc("Whether containers get a token of the service account."),
    tolerations: elided(list(Toleration)).at(22).doc("Taints of nodes that do not keep it away."),
    hostAliases: elided(list(HostAlias, { patchStrategy: "merge", patchMergeKey: "ip" }))
      .at(23)
      .doc("Lines that are added to its hosts file."),
    priorityClassName: elided(string()).at(24).doc("The priority class by which its priority is set."),
    priority: optional(int32()).at(25).doc("How important it is; set from the priority class."),
    dnsConfig: optional(PodDNSConfig).at(26).doc("Servers and options of name lookup, added to what dnsPolicy says."),
    shareProcessNamespace: optional(bool())
      .at(27)
      .doc("Whether its containers see the processes of each other; excludes hostPID."),
    readinessGates: elided(list(PodReadinessGate))
      .at(28)
      .doc("Conditions, beside those of its containers, that must hold for it to be ready."),
    runtimeClassName: optional(string())
      .at(29)
      .doc("The runtime class it is run with; absent: the default of the node."),
    enableServiceLinks: optional(bool())
      .at(30)
      .doc("Whether containers get variables for the services of the namespace."),
    preemptionPolicy: optional(string())
      .at(31)
      .doc("PreemptLowerPriority, or Never: whether it may push others off a node."),
    overhead: elided(resourceList())
      .at(32)
      .doc("What running the pod itself takes, beside its containers; set from the runtime class."),
    topologySpreadConstraints: elided(
      list(TopologySpreadConstraint, {
        topology: "map",
        keys: ["topologyKey", "whenUnsatisfiable"],
        patchStrategy: "merge",
        patchMergeKey: "topologyKey",
      }),
    )
      .at(33)
      .doc("How evenly pods like it are spread over zones, nodes and their like; all must be met."),
    ephemeralContainers: elided(list(EphemeralContainer, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(34)
      .doc("Containers that are added to a running pod to look into it; only through the subresource of that name."),
    setHostnameAsFQDN: optional(bool()).at(35).doc("Whether its host name is the full one."),
  },
  { defaults: defaultPodSpec },
);
export type PodSpec = Static<typeof PodSpec>;

export const PodTemplateSpec = struct(
  "core.v1.PodTemplateSpec",
  {
    metadata: elided(ObjectMetaStruct).at(1),
    spec: elided(PodSpec).at(2),
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
