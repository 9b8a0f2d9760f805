/** The fields of services. */

import { formatIp } from "../../../../base/ip-address.ts";
import { validateLabels } from "../../../../machinery/meta/labels.ts";
import { isDns1123Subdomain, isIp, isQualifiedName } from "../../../../machinery/meta/names.ts";
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
} from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  each,
  type FieldErrors,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  required,
} from "../../../../machinery/status/field-error.ts";
import { parseOddIp, takesOddForms } from "../../../address-forms.ts";
import { Condition } from "../../../common-fields.ts";
import { validateEndpointIp } from "../../../ip.ts";
import { protocols } from "../protocols.ts";
import { LoadBalancerStatus } from "./load-balancer.ts";

const affinitySecondsMax = 86_400;
const affinityText = `must be greater than 0 and at most ${affinitySecondsMax}`;
const addressesMax = 2;
export const families = ["IPv4", "IPv6"];
const familyPolicies = ["SingleStack", "PreferDualStack", "RequireDualStack"];
const trafficPolicies = ["Cluster", "Local"];
/** Among topology keys: wherever the endpoint is. */
const anyTopology = "*";

function validateExternalIp(ip: string, path: string, environment: Environment): FieldErrors {
  const odd = takesOddForms(environment) ? parseOddIp(ip) : undefined;
  if (odd !== undefined) return validateEndpointIp(path, formatIp(odd));
  const problems = isIp(ip);
  return problems.length > 0 ? each(problems, path, ip) : validateEndpointIp(path, ip);
}

/** "None" stands alone: the service is headless. */
function validateClusterIps(ips: readonly string[], _path: string, environment: Environment): FieldErrors {
  return ofEach(ips, (ip, index) => {
    if (index === 0 && ip === "None") return ips.length > 1 ? [invalid("", ips, "'None' must be the only value")] : [];
    return isClusterIp(ip, environment) ? [] : each(isIp(ip), `[${index}]`, ip);
  });
}

/** Later releases take forms of addresses that others do not read alike. */
export const isClusterIp = (ip: string, environment: Pick<Environment, "level" | "gates">): boolean =>
  (takesOddForms(environment) && parseOddIp(ip) !== undefined) || isIp(ip).length === 0;

/** A dot at the end says that the name is complete. */
function validateExternalName(text: string): FieldErrors {
  const name = text.replace(/\.$/, "");
  return name === "" ? [required("")] : each(isDns1123Subdomain(name), "", name);
}

const ClientIPConfig = struct("core.v1.ClientIPConfig", {
  timeoutSeconds: optional(int32())
    .at(1)
    .atLeast(1, affinityText)
    .atMost(affinitySecondsMax, affinityText)
    .doc("Seconds after the last connection until a client may be sent to another pod, 1 to 86400. Default: 10800."),
});

export const ServicePort = struct("core.v1.ServicePort", {
  name: elided(string())
    .at(1)
    .named("label")
    .doc("The name of the port, unique in the service; required if there are several."),
  protocol: elided(string())
    .at(2)
    .required()
    .oneOf(protocols)
    .openApiDefault("TCP")
    .doc("The protocol of the port: TCP, UDP or SCTP. Default: TCP."),
  port: int32()
    .at(3)
    .atLeast(1)
    .atMost(65535)
    .doc("The port on which the service is reached, from 1 to 65535. Required."),
  targetPort: elided(intOrString())
    .at(4)
    .named("port")
    .doc("The port of the pods, by number or name. Default: the same as port."),
  nodePort: elided(int32())
    .at(5)
    .doc("The port on every node that leads to the service; assigned by the server if absent."),
  appProtocol: optional(string())
    .at(6)
    .named("qualified")
    .doc("The application protocol, such as https, or a name with a domain prefix."),
});
export type ServicePort = Static<typeof ServicePort>;

const SessionAffinityConfig = struct("core.v1.SessionAffinityConfig", {
  clientIP: optional(ClientIPConfig).at(1).doc("Settings for session affinity by client address."),
});

/** The name of the newer values came with their gate. */
function validateDistribution(value: string, path: string, { gates }: Environment): FieldErrors {
  const known = gates.enabled("PreferSameTrafficDistribution")
    ? ["PreferClose", "PreferSameZone", "PreferSameNode"]
    : ["PreferClose"];
  return known.includes(value) ? noErrors : [notSupported(path, value, known)];
}

export const ServiceSpec = struct("core.v1.ServiceSpec", {
  ports: elided(
    list(ServicePort, { topology: "map", keys: ["port", "protocol"], patchStrategy: "merge", patchMergeKey: "port" }),
  )
    .at(1)
    .uniqueBy("name")
    .doc("The ports of the service, and where they lead."),
  selector: elided(map(string(), { from: { "1.22": { topology: "atomic" } } }))
    .at(2)
    .checked(validateLabels)
    .doc("Labels of the pods behind the service. Empty: endpoints are managed by others."),
  clusterIP: elided(string())
    .at(3)
    .doc(
      "The address of the service; the same as the first of clusterIPs. None: the service is headless. Absent: the server allocates one.",
    ),
  type: elided(string())
    .at(4)
    .required()
    .oneOf(["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"])
    .doc("ClusterIP, NodePort, LoadBalancer or ExternalName. Default: ClusterIP."),
  externalIPs: elided(list(string().checked(validateExternalIp)))
    .at(5)
    .doc("Addresses outside the cluster for which nodes accept traffic for the service."),
  sessionAffinity: elided(string())
    .at(7)
    .required()
    .oneOf(["ClientIP", "None"])
    .doc("ClientIP sends a client to the same pod each time, None does not. Default: None."),
  loadBalancerIP: elided(string()).at(8).doc("The address that the load balancer should get."),
  loadBalancerSourceRanges: elided(list(string()))
    .at(9)
    .doc("Client address ranges that the load balancer accepts. Empty: all."),
  externalName: elided(string())
    .at(10)
    .checked(validateExternalName)
    .doc("The DNS name that a service of type ExternalName stands for."),
  externalTrafficPolicy: elided(string())
    .at(11)
    .before("1.26", (policy) => policy.oneOf(trafficPolicies, "must be empty, Cluster or Local"))
    .from("1.26", (policy) => policy.oneOf(trafficPolicies))
    .doc(
      "Cluster, or Local to send external traffic only to pods on the same node and keep the client address. Default: Cluster.",
    ),
  healthCheckNodePort: elided(int32())
    .at(12)
    .atLeast(0, "must be positive")
    .doc(
      "The port on which load balancers ask a node whether it has pods of the service; only with externalTrafficPolicy Local.",
    ),
  publishNotReadyAddresses: elided(bool())
    .at(13)
    .doc("Whether pods that are not ready count as endpoints. Default: false."),
  sessionAffinityConfig: optional(SessionAffinityConfig).at(14).doc("How long session affinity lasts."),
  topologyKeys: elided(list(string().named((key) => (key === anyTopology ? [] : isQualifiedName(key)))))
    .until("1.22")
    .at(16)
    .max(16)
    .unique()
    .checked((keys) =>
      ofEach(keys.slice(0, -1), (key, at) =>
        key === anyTopology ? [invalid(`[${at}]`, key, "must be the last value")] : [],
      ),
    )
    .behind("ServiceTopology")
    .doc(
      "Deprecated: node labels that traffic should stay within, best first; needs the feature gate ServiceTopology.",
    ),
  ipFamilyPolicy: optional(string())
    .at(17)
    .oneOf(familyPolicies)
    .behind("IPv6DualStack")
    .doc("SingleStack, PreferDualStack or RequireDualStack. Default: SingleStack."),
  clusterIPs: elided(list(string(), { topology: "atomic" }))
    .at(18)
    .checked(validateClusterIps)
    .max(addressesMax, `may only hold up to ${addressesMax} values`)
    .behind("IPv6DualStack", { most: 1 })
    .doc(
      "Addresses of the service, one for each IP family; assigned by the server if absent. None: a headless service.",
    ),
  ipFamilies: elided(
    list(
      string()
        .oneOf(families)
        .openApiEnum(["", ...families]),
      { topology: "atomic" },
    ),
  )
    .at(19)
    .unique()
    .behind("IPv6DualStack")
    .doc("IP families of the service, IPv4, IPv6 or both; the first one is primary."),
  allocateLoadBalancerNodePorts: optional(bool())
    .at(20)
    .behind("ServiceLBNodePortControl")
    .doc(
      "Whether a service of type LoadBalancer gets node ports; needs the feature gate ServiceLBNodePortControl. Default: true.",
    ),
  loadBalancerClass: optional(string())
    .at(21)
    .named("qualified")
    .behind("ServiceLoadBalancerClass")
    .doc(
      "Which implementation makes the load balancer; needs the feature gate ServiceLoadBalancerClass. Absent: the default one.",
    ),
  internalTrafficPolicy: optional(string())
    .at(22)
    .oneOf(trafficPolicies)
    .behind("ServiceInternalTrafficPolicy")
    .doc(
      "Cluster, or Local to send traffic from pods only to pods on the same node; needs the feature gate ServiceInternalTrafficPolicy. Default: Cluster.",
    ),
  trafficDistribution: optional(string())
    .at(23)
    .openApiEnum("none")
    .since("1.30")
    .behind("ServiceTrafficDistribution")
    .checked(validateDistribution)
    .doc("Which endpoints are preferred: PreferSameZone, its older name PreferClose, or PreferSameNode. Absent: none."),
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
