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
  name: elided(string()).at(1),
  protocol: elided(string()).at(2).default("TCP"),
  port: int32().at(3),
  targetPort: elided(intOrString()).at(4),
  nodePort: elided(int32()).at(5),
  appProtocol: optional(string()).at(6),
});
export type ServicePort = Static<typeof ServicePort>;

export const SessionAffinityConfig = struct("core.v1.SessionAffinityConfig", {
  clientIP: optional(ClientIPConfig).at(1),
});
export type SessionAffinityConfig = Static<typeof SessionAffinityConfig>;

export const ServiceSpec = struct("core.v1.ServiceSpec", {
  ports: elided(
    list(ServicePort, { topology: "map", keys: ["port", "protocol"], patchStrategy: "merge", patchMergeKey: "port" }),
  ).at(1),
  selector: elided(map(string())).at(2).doc("Labels of the pods behind the service."),
  clusterIP: elided(string()).at(3).doc("The first of clusterIPs, for clients that know one address only."),
  type: elided(string()).at(4).doc("ClusterIP, NodePort, LoadBalancer or ExternalName."),
  externalIPs: elided(list(string())).at(5),
  sessionAffinity: elided(string()).at(7).doc("ClientIP keeps a client with one pod; None does not."),
  loadBalancerIP: elided(string()).at(8),
  loadBalancerSourceRanges: elided(list(string())).at(9),
  externalName: elided(string()).at(10),
  externalTrafficPolicy: elided(string()).at(11),
  healthCheckNodePort: elided(int32()).at(12),
  publishNotReadyAddresses: elided(bool()).at(13),
  sessionAffinityConfig: optional(SessionAffinityConfig).at(14),
  topologyKeys: elided(list(string())).at(16),
  ipFamilyPolicy: optional(string()).at(17).doc("SingleStack, PreferDualStack or RequireDualStack."),
  clusterIPs: elided(list(string(), { topology: "atomic" }))
    .at(18)
    .doc("One address for each IP family; given by the server when left out. None: the service has no address."),
  ipFamilies: elided(list(string(), { topology: "atomic" }))
    .at(19)
    .doc("IPv4, IPv6 or both, the first one first."),
  allocateLoadBalancerNodePorts: optional(bool()).at(20),
  loadBalancerClass: optional(string()).at(21),
  internalTrafficPolicy: optional(string()).at(22),
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
