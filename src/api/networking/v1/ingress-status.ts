/** What the load balancer of an ingress reports; until 1.26 in the structs of services. */

import { elided, int32, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { protocols } from "../../core/v1/protocols.ts";
import { addressFields } from "../../core/v1/service/load-balancer.ts";

const IngressPortStatus = struct(
  "core.v1.PortStatus",
  {
    port: int32().at(1).doc("The number of the port that the load balancer reports."),
    protocol: string().at(2).openApiEnum(protocols).doc("The protocol of the port: TCP, UDP or SCTP."),
    error: optional(string()).at(3).doc("What is wrong with the port, as one CamelCase word."),
  },
  { from: { "1.26": { name: "networking.v1.IngressPortStatus" } } },
);

const IngressLoadBalancerIngress = struct(
  "core.v1.LoadBalancerIngress",
  {
    ...addressFields,
    ports: elided(list(IngressPortStatus, { topology: "atomic" }))
      .at(4)
      .doc("The state of every port of the ingress."),
  },
  { from: { "1.26": { name: "networking.v1.IngressLoadBalancerIngress" } } },
);

export const IngressLoadBalancerStatus = struct(
  "core.v1.LoadBalancerStatus",
  {
    ingress: elided(list(IngressLoadBalancerIngress)).at(1).doc("Where traffic for the ingress must be sent."),
  },
  { from: { "1.26": { name: "networking.v1.IngressLoadBalancerStatus" } } },
);
export type IngressLoadBalancerStatus = Static<typeof IngressLoadBalancerStatus>;

export const IngressStatus = struct("networking.v1.IngressStatus", {
  loadBalancer: elided(IngressLoadBalancerStatus).at(1).doc("Where the ingress can be reached."),
});
export type IngressStatus = Static<typeof IngressStatus>;

export const checkIngressStatus = checker(IngressStatus);
