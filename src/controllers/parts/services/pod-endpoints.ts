/** The pods behind a service, with their addresses, ports and names. */

import type { Pod } from "../../../api/core/v1/pod.ts";
import type { ServicePort } from "../../../api/core/v1/service/spec.ts";
import type { Service } from "../../../api/core/v1/service.ts";
import { ipVersion } from "../../../machinery/meta/names.ts";
import { isDeleting, isPodFinished, podCondition } from "../pods/state.ts";

export const isHeadless = (service: Service): boolean => {
  const { clusterIP = "" } = service.spec ?? {};
  return clusterIP === "" || clusterIP === "None";
};

interface Serving {
  /** Whether pods that are being deleted count as well. */
  readonly terminating: boolean;
  /** Whether pods that have ended count if their restart policy does not rule out another run. */
  readonly ended: boolean;
}

/** A pod that may run again counts, ready or not. */
export function mayServe(pod: Pod, { terminating, ended }: Serving): boolean {
  const { phase, podIP, podIPs } = pod.status ?? {};
  if (!ended && isPodFinished(pod)) return false;
  if (!podIP && !podIPs?.length) return false;
  if (!terminating && isDeleting(pod)) return false;
  switch (pod.spec?.restartPolicy) {
    case "Never":
      return phase !== "Failed" && phase !== "Succeeded";
    case "OnFailure":
      return phase !== "Succeeded";
    default:
      return true;
  }
}

/** Addresses of the pod in one family. */
export function addressesOf(pod: Pod, version: 4 | 6): string[] {
  const { podIP = "", podIPs = [] } = pod.status ?? {};
  const all = podIPs.length > 0 ? podIPs.map(({ ip = "" }) => ip) : [podIP];
  return all.filter((ip) => ipVersion(ip) === version);
}

/** The first family of the service decides; one without families takes what the pod has. */
export function addressOf(pod: Pod, service: Service): string | undefined {
  const family = service.spec?.ipFamilies?.[0];
  if (family !== undefined) return addressesOf(pod, family === "IPv6" ? 6 : 4)[0];
  return pod.status?.podIP || undefined;
}

/** The number of a port in the pod; undefined: none of its containers has a port of that name. */
export function portNumberOf(pod: Pod, { targetPort, port, protocol = "TCP" }: ServicePort): number | undefined {
  const target = targetPort === undefined || targetPort === 0 || targetPort === "" ? port : targetPort;
  if (typeof target === "number") return target;
  for (const { ports = [] } of pod.spec?.containers ?? []) {
    const found = ports.find((each) => each.name === target && (each.protocol ?? "TCP") === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** A pod whose subdomain is the service is reached by its own name. */
export function hostnameOf(pod: Pod, service: Service): string | undefined {
  const { hostname, subdomain } = pod.spec ?? {};
  return hostname && subdomain === service.metadata.name ? hostname : undefined;
}

/** Whether a change of the pod can change the endpoints of a service. */
export function endpointsDiffer(pod: Pod, old: Pod): boolean {
  const facts = (each: Pod) => [
    isDeleting(each),
    podCondition(each, "Ready")?.status === "True",
    each.status?.phase,
    each.status?.podIP,
    each.status?.podIPs?.map(({ ip }) => ip).join(),
    each.spec?.nodeName,
    each.spec?.hostname,
    each.spec?.subdomain,
  ];
  const [now, before] = [facts(pod), facts(old)];
  return now.some((fact, index) => fact !== before[index]);
}

export function targetOf({ metadata }: Pod) {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  return { kind: "Pod", namespace, name, uid, resourceVersion };
}
