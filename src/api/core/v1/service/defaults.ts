/** The defaults of a service. Addresses and node ports are allocated later. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import { hasTrafficFromOutside } from "./preparation.ts";
import type { ServiceSpec } from "./spec.ts";

const affinityTimeoutSeconds = 10_800;

export function fillServiceSpec(spec: ServiceSpec, environment: Environment): void {
  const { gates, since } = environment;
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinityTimeoutSeconds } };
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) port.targetPort ||= port.port;
  const isExposed = spec.type === "NodePort" || spec.type === "LoadBalancer";
  if (hasTrafficFromOutside(spec, environment)) spec.externalTrafficPolicy ||= "Cluster";
  if (gates.enabled("ServiceInternalTrafficPolicy") && (isExposed || spec.type === "ClusterIP")) {
    spec.internalTrafficPolicy ??= "Cluster";
  }
  if (gates.enabled("ServiceLBNodePortControl") && spec.type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
  }
  // Since 1.23 nothing is filled in before the families of the cluster are known.
  if (gates.enabled("IPv6DualStack") && spec.type !== "ExternalName" && !since("1.23")) fillBothFamilies(spec);
}

/** Two families require both, and a policy that requires both adds the second to one. The rest depends on the cluster. */
function fillBothFamilies(spec: ServiceSpec): void {
  if (spec.clusterIPs?.length === 2 || spec.ipFamilies?.length === 2) spec.ipFamilyPolicy ??= "RequireDualStack";
  const [family, ...more] = spec.ipFamilies ?? [];
  if (spec.ipFamilyPolicy !== "RequireDualStack" || family === undefined || more.length > 0) return;
  spec.ipFamilies = [family, family === "IPv4" ? "IPv6" : "IPv4"];
}
