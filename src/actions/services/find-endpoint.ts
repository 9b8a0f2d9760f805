/** Finds an address at which a service of the cluster can be reached now: one of its ready endpoints, or its external name. */

import { Service } from "../../api/core/v1/service.ts";
import type { ServiceSubsets } from "../../api/discovery/service-subset.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import type { Registry } from "../../registry/contract/registry.ts";

interface FindEndpointOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly subsets: ServiceSubsets;
  /** Returns an integer below `below`: calls are spread over all ready addresses. */
  readonly random: (below: number) => number;
}

type FindEndpoint = (service: { readonly namespace: string; readonly name: string; readonly port: number }) => {
  readonly host: string;
  readonly port: number;
};

/** The function throws an Error that names the service and says what it lacks. */
export function createFindEndpoint({ registry, catalog, subsets, random }: FindEndpointOptions): FindEndpoint {
  const services = catalog.of(Service);
  return ({ namespace, name, port }) => {
    const shown = `"${namespace}/${name}"`;
    const service = registry.peek(services, { namespace, name })?.object();
    if (service === undefined) throw new Error(`service ${shown} not found`);
    const { type, externalName, ports = [] } = service.spec ?? {};
    if (type === "ExternalName") {
      if (!externalName) throw new Error(`service ${shown} has no externalName`);
      return { host: externalName, port };
    }
    const wanted = ports.find((one) => one.port === port);
    if (wanted === undefined) throw new Error(`no service port ${port} found for service ${shown}`);
    const ready = (subsets({ namespace, name }) ?? []).flatMap((subset) => {
      const behind = subset.ports.find((one) => one.name === (wanted.name ?? ""));
      return behind === undefined ? [] : subset.addresses.map((host) => ({ host, port: behind.port }));
    });
    const chosen = ready[random(Math.max(1, ready.length))];
    if (chosen === undefined) throw new Error(`no endpoints available for service ${shown}`);
    return chosen;
  };
}
