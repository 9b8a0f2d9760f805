/** What a service gets where its writer left something out. Addresses and ports of nodes are given later. */

import type { Environment } from "../../../machinery/schema/schema.ts";
import type { ServiceSpec } from "./service.ts";

const affinityTimeoutSeconds = 10_800;

export function fillServiceSpec(spec: ServiceSpec, { gates }: Environment): void {
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinityTimeoutSeconds } };
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) port.targetPort ||= port.port;
  const isExposed = spec.type === "NodePort" || spec.type === "LoadBalancer";
  if (isExposed) spec.externalTrafficPolicy ||= "Cluster";
  if (gates.enabled("ServiceInternalTrafficPolicy") && (isExposed || spec.type === "ClusterIP")) {
    spec.internalTrafficPolicy ??= "Cluster";
  }
  if (gates.enabled("ServiceLBNodePortControl") && spec.type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
  }
}
