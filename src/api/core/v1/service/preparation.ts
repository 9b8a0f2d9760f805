/** Prepares a service for storage: fields of old and new clients, changes of type. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import { sameValue } from "../../../../machinery/schema/same-value.ts";
import { has } from "../../../features.ts";
import type { ServiceSpec, ServiceStatus } from "./spec.ts";

interface ServiceLike {
  spec?: ServiceSpec;
  status?: ServiceStatus;
}

/** Whether a service of this type has addresses in the cluster; one of an unknown type keeps what it has until refused. */
export const needsClusterIp = ({ type }: ServiceSpec): boolean => type !== "ExternalName";
export const needsNodePort = ({ type }: ServiceSpec): boolean => type === "NodePort" || type === "LoadBalancer";
/** Whether traffic from outside comes to it, so that it has a policy for that. */
export const hasTrafficFromOutside = (spec: ServiceSpec, environment: Pick<Environment, "level">): boolean =>
  needsNodePort(spec) ||
  (spec.type === "ClusterIP" && Boolean(spec.externalIPs?.length) && has(environment, "trafficOfExternalIps"));
/** Whether nodes report to a load balancer if they have pods of the service. */
export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";
/** A headless service: DNS returns the addresses of the pods. */
export const isHeadless = ({ clusterIPs }: ServiceSpec): boolean =>
  clusterIPs?.length === 1 && clusterIPs[0] === "None";

export function prepareNewService({ spec }: ServiceLike, environment: Environment): void {
  if (spec === undefined) return;
  if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
  if (has(environment, "internalPolicies")) dropInternalPolicy(spec);
}

/** A service that is only a name has no traffic of its own. */
function dropInternalPolicy(spec: ServiceSpec): void {
  if (spec.type === "ExternalName") delete spec.internalTrafficPolicy;
}

export function prepareServiceUpdate(service: ServiceLike, old: ServiceLike, environment: Environment): void {
  const { spec } = service;
  if (spec === undefined) return;
  const before = old.spec ?? {};
  keepAllocated(spec, before, environment);
  syncClusterIps(spec, before);
  dropFieldsOfOldType(spec, before);
  downgrade(spec, before);
  if (!has(environment, "internalPolicies")) return;
  dropInternalPolicy(spec);
  // The load balancer is gone with the type.
  if (service.status?.loadBalancer && spec.type !== "LoadBalancer")
    service.status = { ...service.status, loadBalancer: {} };
}

/** Values that the server allocated are kept when a client sends the service again without them. */
function keepAllocated(spec: ServiceSpec, before: ServiceSpec, environment: Environment): void {
  if (needsClusterIp(before) && needsClusterIp(spec)) {
    if (before.clusterIP) spec.clusterIP ||= before.clusterIP;
    if (!spec.clusterIPs?.length && before.clusterIPs) spec.clusterIPs = [...before.clusterIPs];
  }
  const keepsPorts = spec.allocateLoadBalancerNodePorts !== false || has(environment, "keptNodePorts");
  if (needsNodePort(before) && needsNodePort(spec) && keepsPorts) keepNodePorts(spec, before);
  if (needsHealthCheckPort(before) && needsHealthCheckPort(spec) && before.healthCheckNodePort) {
    spec.healthCheckNodePort ||= before.healthCheckNodePort;
  }
}

/** Ports are recognised by their names. What the writer named for one port is not given to another as well. */
function keepNodePorts(spec: ServiceSpec, before: ServiceSpec): void {
  const known = new Map((before.ports ?? []).map(({ name, nodePort }) => [name ?? "", nodePort ?? 0]));
  const named = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
  for (const port of spec.ports ?? []) {
    const kept = known.get(port.name ?? "") ?? 0;
    if (!port.nodePort && kept > 0 && !named.has(kept)) port.nodePort = kept;
  }
}

/** Old clients know clusterIP only; what they do to it is done to clusterIPs. */
function syncClusterIps(spec: ServiceSpec, before: ServiceSpec): void {
  const [single, singleBefore] = [spec.clusterIP ?? "", before.clusterIP ?? ""];
  if (before.clusterIPs?.length && !spec.clusterIPs?.length && single === singleBefore) {
    spec.clusterIPs = [...before.clusterIPs];
  }
  if (single === singleBefore || !sameValue(spec.clusterIPs, before.clusterIPs)) return;
  if (single === "") delete spec.clusterIPs;
  else spec.clusterIPs = [single];
}

/** A change to one family releases the second one. */
function downgrade(spec: ServiceSpec, before: ServiceSpec): void {
  const wasDual = before.ipFamilyPolicy === "RequireDualStack" || before.ipFamilyPolicy === "PreferDualStack";
  if (!wasDual || spec.ipFamilyPolicy !== "SingleStack") return;
  if (spec.clusterIPs) spec.clusterIPs = spec.clusterIPs.slice(0, 1);
  if (spec.ipFamilies) spec.ipFamilies = spec.ipFamilies.slice(0, 1);
}

/** Fields that only the old type may have are removed, unless the writer changed them as well. */
function dropFieldsOfOldType(spec: ServiceSpec, before: ServiceSpec): void {
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    if (sameValue(spec.clusterIPs, before.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (sameValue(spec.ipFamilies, before.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  if (needsNodePort(before) && !needsNodePort(spec)) {
    const known = new Set((before.ports ?? []).map(({ nodePort }) => nodePort));
    const onlyKnown = (spec.ports ?? []).every(({ nodePort }) => !nodePort || known.has(nodePort));
    if (onlyKnown) for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) {
    if (spec.healthCheckNodePort === before.healthCheckNodePort) delete spec.healthCheckNodePort;
  }
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (spec.loadBalancerClass === before.loadBalancerClass) delete spec.loadBalancerClass;
    if (spec.allocateLoadBalancerNodePorts === before.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
  }
}
