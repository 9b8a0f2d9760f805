/** What a load balancer reports, for services and ingresses. */

import { isIp } from "../../../../machinery/meta/names.ts";
import { elided, int32, list, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";
import { checker } from "../../../../machinery/schema/constraints.ts";
import { forbid } from "../../../../machinery/schema/relations.ts";
import { each, noErrors } from "../../../../machinery/status/field-error.ts";
import { parseOddIp, takesOddForms } from "../../../address-forms.ts";
import { protocols } from "../protocols.ts";

const PortStatus = struct("core.v1.PortStatus", {
  port: int32().at(1).doc("The number of the port that the load balancer reports."),
  protocol: string().at(2).openApiEnum(protocols).doc("The protocol of the port: TCP, UDP or SCTP."),
  error: optional(string()).at(3).doc("What is wrong with the port, as one CamelCase word."),
});

/** Where traffic goes: an address, or a name that is none. */
export const addressFields = {
  ip: elided(string())
    .at(1)
    .checked((ip, path, environment) =>
      takesOddForms(environment) && parseOddIp(ip) !== undefined ? noErrors : each(isIp(ip), path, ip),
    )
    .doc("The IP address of the load balancer."),
  hostname: elided(string())
    .at(2)
    .named("subdomain")
    .named((name) => (isIp(name).length === 0 ? ["must be a name, not an address"] : []))
    .doc("The host name of the load balancer."),
};

const LoadBalancerIngress = struct(
  "core.v1.LoadBalancerIngress",
  {
    ...addressFields,
    ipMode: optional(string())
      .at(3)
      .since("1.29")
      .oneOf(["Proxy", "VIP"])
      .openApiEnum("none")
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

export const checkLoadBalancer = checker(LoadBalancerStatus, [
  forbid(LoadBalancerIngress, "ipMode", "may not be set without an ip", ({ ip }) => !ip),
]);
