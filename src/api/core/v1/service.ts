/** A Service gives a set of pods one stable address. */

import type { Static } from "../../../machinery/schema/build.ts";
import {
  bool,
  elided,
  int32,
  intOrString,
  list,
  map,
  optional,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";
import { ageColumn, labelsText, nameColumn } from "../../columns.ts";
import { Condition } from "../../meta/condition.ts";
import { LoadBalancerStatus } from "./load-balancer.ts";
import { externalText, portsText } from "./service-columns.ts";
import { fillServiceSpec } from "./service-defaults.ts";
import { prepareNewService, prepareServiceUpdate } from "./service-preparation.ts";
import { validateLoadBalancerStatus } from "./validate-load-balancer.ts";
import { validateService, validateServiceUpdate } from "./validate-service.ts";

export const ClientIPConfig = struct("core.v1.ClientIPConfig", {
  timeoutSeconds: optional(int32()).at(1),
});
export type ClientIPConfig = Static<typeof ClientIPConfig>;

export const ServicePort = struct("core.v1.ServicePort", {
  name: elided(string()).at(1).doc("Required when there are several ports, and unique."),
  protocol: elided(string()).at(2).default("TCP").doc("TCP, UDP or SCTP."),
  port: int32().at(3).doc("The port of the service."),
  targetPort: elided(intOrString()).at(4).doc("The port of the pods, by number or name; absent: the same as port."),
  nodePort: elided(int32()).at(5).doc("The port of every node that leads here; given by the server when left out."),
  appProtocol: optional(string()).at(6).doc("What is spoken there: a name of IANA, or one with a prefix of your own."),
});
export type ServicePort = Static<typeof ServicePort>;

export const SessionAffinityConfig = struct("core.v1.SessionAffinityConfig", {
  clientIP: optional(ClientIPConfig).at(1),
});
export type SessionAffinityConfig = Static<typeof SessionAffinityConfig>;

export const ServiceSpec = struct("core.v1.ServiceSpec", {
  ports: elided(
    list(ServicePort, { topology: "map", keys: ["port", "protocol"], patchStrategy: "merge", patchMergeKey: "port" }),
  )
    .at(1)
    .doc("What it listens on, and where that leads."),
  selector: elided(map(string())).at(2).doc("Labels of the pods behind the service."),
  clusterIP: elided(string()).at(3).doc("The first of clusterIPs, for clients that know one address only."),
  type: elided(string()).at(4).doc("ClusterIP, NodePort, LoadBalancer or ExternalName."),
  externalIPs: elided(list(string())).at(5).doc("Addresses outside the cluster at which nodes take traffic for it."),
  sessionAffinity: elided(string()).at(7).doc("ClientIP keeps a client with one pod; None does not."),
  loadBalancerIP: elided(string()).at(8).doc("The address its load balancer is asked to have."),
  loadBalancerSourceRanges: elided(list(string())).at(9).doc("From where its load balancer lets clients in."),
  externalName: elided(string()).at(10).doc("The DNS name that a service of type ExternalName stands for."),
  externalTrafficPolicy: elided(string())
    .at(11)
    .doc("Cluster, or Local to keep traffic on the node it comes to, and the address it comes from."),
  healthCheckNodePort: elided(int32())
    .at(12)
    .doc("Where load balancers ask a node whether it has pods of the service; with the policy Local."),
  publishNotReadyAddresses: elided(bool()).at(13).doc("Whether pods that are not ready count too."),
  sessionAffinityConfig: optional(SessionAffinityConfig).at(14).doc("How long a client stays with one pod."),
  topologyKeys: elided(list(string())).at(16).doc("Which nodes are preferred, best first; behind a gate."),
  ipFamilyPolicy: optional(string()).at(17).doc("SingleStack, PreferDualStack or RequireDualStack."),
  clusterIPs: elided(list(string(), { topology: "atomic" }))
    .at(18)
    .doc("One address for each IP family; given by the server when left out. None: the service has no address."),
  ipFamilies: elided(list(string(), { topology: "atomic" }))
    .at(19)
    .doc("IPv4, IPv6 or both, the first one first."),
  allocateLoadBalancerNodePorts: optional(bool())
    .at(20)
    .doc("Whether a load balancer needs node ports; behind a gate."),
  loadBalancerClass: optional(string()).at(21).doc("Who makes its load balancer; behind a gate."),
  internalTrafficPolicy: optional(string())
    .at(22)
    .doc("Cluster, or Local to keep traffic from within on its node; behind a gate."),
});
export type ServiceSpec = Static<typeof ServiceSpec>;

export const ServiceStatus = struct("core.v1.ServiceStatus", {
  loadBalancer: elided(LoadBalancerStatus).at(1),
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  ).at(2),
});
export type ServiceStatus = Static<typeof ServiceStatus>;

export const Service = kind({
  group: "",
  version: "v1",
  kind: "Service",
  resource: "services",
  scope: "Namespaced",
  shortNames: ["svc"],
  categories: ["all"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  doc: "A Service gives a set of pods one stable address.",
  fields: {
    spec: elided(ServiceSpec).at(2),
    status: elided(ServiceStatus).at(3),
  },
  name: "label1035",
  unconditionalUpdate: "checked",
  returnsDeleted: "never",
  defaults(service, environment) {
    service.spec ??= {};
    fillServiceSpec(service.spec, environment);
  },
  prepareForCreate: prepareNewService,
  prepareForUpdate: prepareServiceUpdate,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  columns: (column) => [
    nameColumn,
    column("Type", ({ spec }) => spec?.type ?? ""),
    column("Cluster-IP", ({ spec }) => spec?.clusterIPs?.[0] ?? "<none>"),
    column("External-IP", externalText),
    column("Port(s)", ({ spec }) => portsText(spec?.ports ?? [])),
    ageColumn,
    column("Selector", ({ spec }) => labelsText(spec?.selector), { priority: 1 }),
  ],
  subresources: [
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      shownKind: "ServiceProxyOptions",
      action: "services/proxy",
      connects: { path: "text" },
    },
    status({
      validate: (service: { status?: ServiceStatus }) =>
        validateLoadBalancerStatus(service.status?.loadBalancer, "status.loadBalancer"),
    }),
  ],
});
export type Service = Static<typeof Service>;
