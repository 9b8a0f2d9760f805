/** How a table shows a service. */

import { joined } from "../../../columns.ts";
import type { ServicePort, ServiceSpec, ServiceStatus } from "./spec.ts";

/** Where clients outside find the service. */
export function externalText({ spec, status }: { spec?: ServiceSpec; status?: ServiceStatus }): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return joined(external);
    case "LoadBalancer": {
      const places = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
      const distinct = [...new Set(places.filter((place) => place !== ""))].sort();
      const all = [...distinct, ...external];
      return all.length > 0 ? all.join(",") : "<pending>";
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

/** `80/TCP,443:30443/TCP`: the port, the node's port where there is one, and the protocol. */
export const portsText = (ports: readonly ServicePort[]): string =>
  joined(ports.map(({ port, nodePort, protocol }) => `${nodePort ? `${port}:${nodePort}` : port}/${protocol ?? ""}`));
