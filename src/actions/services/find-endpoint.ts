/** Finds an address at which a service of the cluster can be reached now: one of its ready endpoints. */

import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Service } from "../../api/core/v1/service.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import type { Registry } from "../../registry/contract/registry.ts";

interface FindEndpointOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
  /** Returns an integer below `below`: calls are spread over all ready addresses. */
  readonly random: (below: number) => number;
}

type FindEndpoint = (service: { readonly namespace: string; readonly name: string; readonly port: number }) => {
  readonly host: string;
  readonly port: number;
};

/** The function throws an Error that names the service and says what it lacks. */
export function createFindEndpoint({ registry, catalog, random }: FindEndpointOptions): FindEndpoint {
  const services = catalog.of(Service);
  const endpoints = catalog.of(Endpoints);
  return ({ namespace, name, port }) => {
    const shown = `"${namespace}/${name}"`;
    const service = registry.peek(services, { namespace, name })?.object();
    if (service === undefined) throw new Error(`service ${shown} not found`);
    if (service.spec?.type === "ExternalName")
      throw new Error(`service ${shown} has type ExternalName; only services with endpoints can be called`);
    const wanted = service.spec?.ports?.find((one) => one.port === port);
    if (wanted === undefined) throw new Error(`no service port ${port} found for service ${shown}`);
    const found = registry.peek(endpoints, { namespace, name })?.object();
    const ready = (found?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
      const behind = ports.find((one) => (one.name ?? "") === (wanted.name ?? ""));
      return behind === undefined ? [] : addresses.map(({ ip }) => ({ host: ip, port: behind.port }));
    });
    const chosen = ready[random(Math.max(1, ready.length))];
    if (chosen === undefined) throw new Error(`no endpoints available for service ${shown}`);
    return chosen;
  };
}
