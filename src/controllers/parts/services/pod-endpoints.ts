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

/**
 * The ports of a service in a pod, as `make` makes them; ports whose name no container of the pod has are left out. Pods with the same
 * numbers get the same list: a service may have thousands of ports and of pods.
 */
export function createPodPorts<P>(
  ports: readonly ServicePort[],
  make: (port: ServicePort, number: number) => P,
): (pod: Pod) => readonly P[] {
  const targets = ports.map(targetPortOf);
  const hasNames = targets.some((target) => typeof target === "string");
  const lists = new Map<string, readonly P[]>();
  return (pod) => {
    const named = hasNames ? portsByName(pod) : undefined;
    const numbers = targets.map((target, at) =>
      typeof target === "number" ? target : named?.get(`${target}/${ports[at]?.protocol ?? "TCP"}`),
    );
    const key = hasNames ? numbers.join() : "";
    let list = lists.get(key);
    if (list === undefined) {
      list = ports.flatMap((port, at) => {
        const number = numbers[at];
        return number === undefined ? [] : [make(port, number)];
      });
      lists.set(key, list);
    }
    return list;
  };
}

function targetPortOf({ targetPort, port }: ServicePort): number | string {
  return targetPort === undefined || targetPort === 0 || targetPort === "" ? port : targetPort;
}

/** By name and protocol; the first container that has the name counts. */
function portsByName(pod: Pod): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const { ports = [] } of pod.spec?.containers ?? [])
    for (const { name, protocol = "TCP", containerPort } of ports) {
      const key = `${name}/${protocol}`;
      if (name !== undefined && !numbers.has(key)) numbers.set(key, containerPort);
    }
  return numbers;
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
