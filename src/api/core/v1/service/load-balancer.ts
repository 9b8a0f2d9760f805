/** What a load balancer reports, for services and ingresses. */

import { elided, int32, list, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";
import { protocols } from "../protocols.ts";

const PortStatus = struct("core.v1.PortStatus", {
  port: int32().at(1).doc("The number of the port that the load balancer reports."),
  protocol: string().at(2).openApiEnum(protocols).doc("The protocol of the port: TCP, UDP or SCTP."),
  error: optional(string()).at(3).doc("What is wrong with the port, as one CamelCase word."),
});

const LoadBalancerIngress = struct(
  "core.v1.LoadBalancerIngress",
  {
    ip: elided(string()).at(1).doc("The IP address of the load balancer."),
    hostname: elided(string()).at(2).doc("The host name of the load balancer."),
    ipMode: optional(string())
      .at(3)
      .since("1.29")
      .doc("Where traffic to ip is handled: VIP at the nodes, Proxy at the load balancer. Default: VIP."),
    ports: elided(list(PortStatus, { topology: "atomic" }))
      .at(4)
      .doc("The state of every port of the service."),
  },
  {
    from: {
      "1.30": {
        defaults(ingress: { ip?: string; ipMode?: string }) {
          if (ingress.ip) ingress.ipMode ??= "VIP";
        },
      },
    },
  },
);

export const LoadBalancerStatus = struct("core.v1.LoadBalancerStatus", {
  ingress: elided(list(LoadBalancerIngress)).at(1).doc("Where traffic for the load balancer must be sent."),
});
export type LoadBalancerStatus = Static<typeof LoadBalancerStatus>;
