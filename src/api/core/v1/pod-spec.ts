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
    volumes: elided(list(Volume, { patchStrategy: "merge,retainKeys", patchMergeKey: "name" })).at(1),
    containers: list(Container, { patchStrategy: "merge", patchMergeKey: "name" }).at(2),
    restartPolicy: elided(string()).at(3).default("Always"),
    terminationGracePeriodSeconds: optional(int64()).at(4).default(30),
    activeDeadlineSeconds: optional(int64()).at(5),
    dnsPolicy: elided(string()).at(6).default("ClusterFirst"),
    nodeSelector: elided(map(string())).at(7),
    serviceAccountName: elided(string()).at(8),
    serviceAccount: elided(string()).at(9),
    nodeName: elided(string()).at(10),
    hostNetwork: elided(bool()).at(11),
    hostPID: elided(bool()).at(12),
    hostIPC: elided(bool()).at(13),
    securityContext: optional(PodSecurityContext).at(14).default({}),
    imagePullSecrets: elided(list(LocalObjectReference, { patchStrategy: "merge", patchMergeKey: "name" })).at(15),
    hostname: elided(string()).at(16),
    subdomain: elided(string()).at(17),
    affinity: optional(Affinity).at(18),
    schedulerName: elided(string()).at(19).default("default-scheduler"),
    initContainers: elided(list(Container, { patchStrategy: "merge", patchMergeKey: "name" })).at(20),
    automountServiceAccountToken: optional(bool()).at(21),
    tolerations: elided(list(Toleration)).at(22),
    hostAliases: elided(list(HostAlias, { patchStrategy: "merge", patchMergeKey: "ip" })).at(23),
    priorityClassName: elided(string()).at(24),
    priority: optional(int32()).at(25),
    dnsConfig: optional(PodDNSConfig).at(26),
    shareProcessNamespace: optional(bool()).at(27),
    readinessGates: elided(list(PodReadinessGate)).at(28),
    runtimeClassName: optional(string()).at(29),
    enableServiceLinks: optional(bool()).at(30),
    preemptionPolicy: optional(string()).at(31),
    overhead: elided(resourceList()).at(32),
    topologySpreadConstraints: elided(
      list(TopologySpreadConstraint, {
        topology: "map",
        keys: ["topologyKey", "whenUnsatisfiable"],
        patchStrategy: "merge",
        patchMergeKey: "topologyKey",
      }),
    ).at(33),
    ephemeralContainers: elided(list(EphemeralContainer, { patchStrategy: "merge", patchMergeKey: "name" })).at(34),
    setHostnameAsFQDN: optional(bool()).at(35),
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
