/** services/proxy: finds a ready endpoint of a service. */

import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Service } from "../../api/core/v1/service.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { notFound, serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action } from "../../registry/contract/action.ts";
import type { ObjectRef } from "../../registry/contract/entry.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { podAddresses } from "./pod-proxy.ts";
import { acceptsAnyCertificate, parseProxiedName } from "./proxied-name.ts";

export interface ServiceProxyOptions {
  readonly catalog: Catalog;
  /** Returns an integer below `below`: requests are spread over all ready addresses. */
  readonly random: (below: number) => number;
}

interface Endpoint {
  readonly ip: string;
  readonly port: number;
}

export function createServiceProxy({ catalog, random }: ServiceProxyOptions): Action {
  const services = catalog.of(Service);
  return {
    async connect({ kind, ref, registry }) {
      const { scheme = "http", name, port } = parseProxiedName(ref.name, "service");
      const place = { namespace: ref.namespace, name };
      const isNumber = /^[+-]?\d+$/.test(port);
      // As in v1.21, only a port number needs the service, which has the names of its ports.
      const portName = isNumber ? nameOfPort(await registry.read(services, place), Number(port)) : port;
      const ready = readyEndpoints(registry, catalog, place, portName);
      if (ready === undefined && kind.family.environment.has("unavailableServices"))
        throw serviceUnavailable(`no endpoints available for service "${ref.name}"`);
      if (ready === undefined) throw notFound({ group: "", kind: kind.resource }, name);
      const chosen = ready[random(Math.max(1, ready.length))];
      if (chosen === undefined) throw serviceUnavailable(`no endpoints available for service "${ref.name}"`);
      const service = registry.peek(services, place)?.object();
      return {
        scheme,
        host: chosen.ip,
        port: chosen.port,
        isCurrent() {
          const now = readyEndpoints(registry, catalog, place, portName) ?? [];
          return now.some((one) => one.ip === chosen.ip && one.port === chosen.port);
        },
        serverName: `${name}.${ref.namespace}.svc`,
        anyCertificate: service !== undefined && acceptsAnyCertificate(service, catalog.environment.vocabulary),
        isNodeAgent: false,
      };
    },
  };
}

function nameOfPort({ metadata, spec }: Service, port: number): string {
  const found = spec?.ports?.find((one) => one.port === port);
  if (found === undefined)
    throw serviceUnavailable(`no service port ${port} found for service "${metadata.name ?? ""}"`);
  return found.name ?? "";
}

/**
 * Undefined: there is no Endpoints object. Endpoints can be written by many users, so an address counts only if it is the address
 * of a pod in the same namespace, as in v1.21.
 */
function readyEndpoints(
  registry: Registry,
  catalog: Catalog,
  { namespace, name }: ObjectRef,
  portName: string,
): readonly Endpoint[] | undefined {
  const pods = catalog.of(Pod);
  const found = registry.peek(catalog.of(Endpoints), { namespace, name })?.object();
  if (found === undefined) return undefined;
  return (found.subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
    const port = ports.find((one) => (one.name ?? "") === portName)?.port;
    if (port === undefined) return [];
    const ofPods = addresses.filter(({ ip, targetRef }) => {
      if (targetRef === undefined || targetRef.namespace !== namespace) return false;
      const pod = registry.peek(pods, { namespace, name: targetRef.name ?? "" })?.object();
      return pod !== undefined && podAddresses(pod).includes(ip);
    });
    return ofPods.map(({ ip }) => ({ ip, port }));
  });
}
