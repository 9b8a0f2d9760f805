/** A Service gives a set of pods one stable address. */

import {
  bool,
  elided,
  int32,
  intOrString,
  list,
  map,
  optional,
  type Static,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { allVerbs, kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, labelsText, nameColumn } from "../../columns.ts";
import { Condition } from "../../common-fields.ts";
import { externalText, portsText } from "./service/columns.ts";
import { fillServiceSpec } from "./service/defaults.ts";
import { LoadBalancerStatus } from "./service/load-balancer.ts";
import { prepareNewService, prepareServiceUpdate } from "./service/preparation.ts";
import { validateService, validateServiceUpdate } from "./service/validate.ts";
import { validateLoadBalancerStatus } from "./service/validate-load-balancer.ts";

export const ClientIPConfig = struct("core.v1.ClientIPConfig", {
  timeoutSeconds: optional(int32())
    .at(1)
    .doc("Seconds after the last connection until a client may be sent to another pod, 1 to 86400. Default: 10800."),
});
export type ClientIPConfig = Static<typeof ClientIPConfig>;

export const ServicePort = struct("core.v1.ServicePort", {
  name: elided(string()).at(1).doc("The name of the port, unique in the service; required if there are several."),
  protocol: elided(string()).at(2).default("TCP").doc("The protocol of the port: TCP, UDP or SCTP. Default: TCP."),
  port: int32().at(3).doc("The port on which the service is reached, from 1 to 65535. Required."),
  targetPort: elided(intOrString()).at(4).doc("The port of the pods, by number or name. Default: the same as port."),
  nodePort: elided(int32())
    .at(5)
    .doc("The port on every node that leads to the service; assigned by the server if absent."),
  appProtocol: optional(string()).at(6).doc("The application protocol, such as https, or a name with a domain prefix."),
});
export type ServicePort = Static<typeof ServicePort>;

export const SessionAffinityConfig = struct("core.v1.SessionAffinityConfig", {
  clientIP: optional(ClientIPConfig).at(1).doc("Settings for session affinity by client address."),
});
export type SessionAffinityConfig = Static<typeof SessionAffinityConfig>;

export const ServiceSpec = struct("core.v1.ServiceSpec", {
  ports: elided(
    list(ServicePort, { topology: "map", keys: ["port", "protocol"], patchStrategy: "merge", patchMergeKey: "port" }),
  )
    .at(1)
    .doc("The ports of the service, and where they lead."),
  selector: elided(map(string(), { from: { "1.22": { topology: "atomic" } } }))
    .at(2)
    .doc("Labels of the pods behind the service. Empty: endpoints are managed by others."),
  clusterIP: elided(string())
    .at(3)
    .doc(
      "The address of the service; the same as the first of clusterIPs. None: the service is headless. Absent: the server allocates one.",
    ),
  type: elided(string()).at(4).doc("ClusterIP, NodePort, LoadBalancer or ExternalName. Default: ClusterIP."),
  externalIPs: elided(list(string()))
    .at(5)
    .doc("Addresses outside the cluster for which nodes accept traffic for the service."),
  sessionAffinity: elided(string())
    .at(7)
    .doc("ClientIP sends a client to the same pod each time, None does not. Default: None."),
  loadBalancerIP: elided(string()).at(8).doc("The address that the load balancer should get."),
  loadBalancerSourceRanges: elided(list(string()))
    .at(9)
    .doc("Client address ranges that the load balancer accepts. Empty: all."),
  externalName: elided(string()).at(10).doc("The DNS name that a service of type ExternalName stands for."),
  externalTrafficPolicy: elided(string())
    .at(11)
    .doc(
      "Cluster, or Local to send external traffic only to pods on the same node and keep the client address. Default: Cluster.",
    ),
  healthCheckNodePort: elided(int32())
    .at(12)
    .doc(
      "The port on which load balancers ask a node whether it has pods of the service; only with externalTrafficPolicy Local.",
    ),
  publishNotReadyAddresses: elided(bool())
    .at(13)
    .doc("Whether pods that are not ready count as endpoints. Default: false."),
  sessionAffinityConfig: optional(SessionAffinityConfig).at(14).doc("How long session affinity lasts."),
  topologyKeys: elided(list(string()))
    .until("1.22")
    .at(16)
    .doc(
      "Deprecated: node labels that traffic should stay within, best first; needs the feature gate ServiceTopology.",
    ),
  ipFamilyPolicy: optional(string())
    .at(17)
    .doc("SingleStack, PreferDualStack or RequireDualStack. Default: SingleStack."),
  clusterIPs: elided(list(string(), { topology: "atomic" }))
    .at(18)
    .doc(
      "Addresses of the service, one for each IP family; assigned by the server if absent. None: a headless service.",
    ),
  ipFamilies: elided(list(string(), { topology: "atomic" }))
    .at(19)
    .doc("IP families of the service, IPv4, IPv6 or both; the first one is primary."),
  allocateLoadBalancerNodePorts: optional(bool())
    .at(20)
    .doc(
      "Whether a service of type LoadBalancer gets node ports; needs the feature gate ServiceLBNodePortControl. Default: true.",
    ),
  loadBalancerClass: optional(string())
    .at(21)
    .doc(
      "Which implementation makes the load balancer; needs the feature gate ServiceLoadBalancerClass. Absent: the default one.",
    ),
  internalTrafficPolicy: optional(string())
    .at(22)
    .doc(
      "Cluster, or Local to send traffic from pods only to pods on the same node; needs the feature gate ServiceInternalTrafficPolicy. Default: Cluster.",
    ),
});
export type ServiceSpec = Static<typeof ServiceSpec>;

export const ServiceStatus = struct("core.v1.ServiceStatus", {
  loadBalancer: elided(LoadBalancerStatus).at(1).doc("The state of the load balancer, if the service has one."),
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(2)
    .doc("The current state of the object, one entry for each condition type."),
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
  from: { "1.23": { verbs: allVerbs } },
  doc: "A Service gives a set of pods one stable address.",
  fields: {
    spec: elided(ServiceSpec).at(2).doc("The desired state of the service, set by its users."),
    status: elided(ServiceStatus).at(3).doc("The most recently observed state of the service, written by the system."),
  },
  name: "label1035",
  compat: { checksVersion: true, hidesDeleted: true },
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
