/** What a load balancer reports, for services and ingresses. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";

export const PortStatus = struct("core.v1.PortStatus", {
  port: int32().at(1),
  protocol: string().at(2),
  error: optional(string()).at(3),
});
export type PortStatus = Static<typeof PortStatus>;

export const LoadBalancerIngress = struct("core.v1.LoadBalancerIngress", {
  ip: elided(string()).at(1),
  hostname: elided(string()).at(2),
  ports: elided(list(PortStatus, { topology: "atomic" })).at(4),
});
export type LoadBalancerIngress = Static<typeof LoadBalancerIngress>;

export const LoadBalancerStatus = struct("core.v1.LoadBalancerStatus", {
  ingress: elided(list(LoadBalancerIngress)).at(1),
});
export type LoadBalancerStatus = Static<typeof LoadBalancerStatus>;
