/** pods/proxy: finds the address of a pod. */

import { Pod } from "../../api/core/v1/pod.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { badRequest, serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action } from "../../registry/contract/action.ts";
import { acceptsAnyCertificate, parseProxiedName, portNumber } from "./proxied-name.ts";

const schemePorts = { http: 80, https: 443 } as const;

export function createPodProxy(catalog: Catalog): Action {
  const pods = catalog.of(Pod);
  return {
    async connect({ ref, registry }) {
      const { scheme = "http", name, port } = parseProxiedName(ref.name, "pod");
      const place = { namespace: ref.namespace, name };
      const pod = await registry.read(pods, place);
      const host = podAddresses(pod)[0];
      if (host === undefined) throw badRequest("address not allowed: the pod has none yet");
      return {
        scheme,
        host,
        port: port === "" ? (firstPort(pod) ?? schemePorts[scheme]) : portOf(pod, port),
        isCurrent() {
          const now = registry.peek(pods, place)?.object();
          return now !== undefined && podAddresses(now).includes(host);
        },
        serverName: host,
        anyCertificate: acceptsAnyCertificate(pod, catalog.environment.vocabulary),
        isNodeAgent: false,
      };
    },
  };
}

/** The addresses of a pod, the preferred one first. */
export function podAddresses({ status }: Pod): readonly string[] {
  const all = (status?.podIPs ?? []).map(({ ip }) => ip ?? "");
  return [...new Set([...all, status?.podIP ?? ""])].filter((ip) => ip !== "");
}

/** As in v1.21: the first port of the first container that has any. */
function firstPort({ spec }: Pod): number | undefined {
  const found = spec?.containers?.find(({ ports = [] }) => ports.length > 0);
  return found?.ports?.[0]?.containerPort;
}

/**
 * v1.21 looks names up in the machine's list of well-known services; here they are the names of the pod's own ports.
 */
function portOf({ spec }: Pod, text: string): number {
  const number = portNumber(text);
  if (number !== undefined) return number;
  const named = (spec?.containers ?? []).flatMap(({ ports = [] }) => ports).find(({ name }) => name === text);
  if (named !== undefined) return named.containerPort;
  throw serviceUnavailable(`error trying to reach service: unknown port "${text.slice(0, 63)}"`);
}
