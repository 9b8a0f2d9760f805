/** The addresses behind services: from their EndpointSlices, as v1.33 and later find them, or from their Endpoints. */

import { Endpoints } from "../../api/core/v1/endpoints.ts";
import type { ServiceSubset, ServiceSubsets } from "../../api/discovery/service-subset.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import type { Entry, ObjectRef } from "../../registry/contract/entry.ts";
import type { Registry } from "../../registry/contract/registry.ts";

/** Endpoints count where a service has no slices: without controllers they are not mirrored. */
export function followServiceSubsets(registry: Registry, catalog: Catalog): ServiceSubsets {
  const endpoints = catalog.of(Endpoints);
  const slicesOf = catalog.environment.has("endpointsOfSlices") ? followSlices(registry, catalog) : () => undefined;
  return (service) => {
    const slices = slicesOf(service);
    if (slices !== undefined) return slices.flatMap((entry) => subsetOf(entry.object()));
    const found = registry.peek(endpoints, service)?.object();
    return (
      found &&
      (found.subsets ?? []).map(({ addresses = [], ports = [] }) => ({
        addresses: addresses.map(({ ip }) => ip),
        ports: ports.map(({ name = "", port }) => ({ name, port })),
      }))
    );
  };
}

/** The slices of each service by the label that names it. Follows as long as the registry lasts. */
function followSlices(registry: Registry, catalog: Catalog) {
  const kind = catalog.of(EndpointSlice);
  const label = catalog.environment.vocabulary.word("orch.io/service-name");
  const serviceOf = new Map<string, string>();
  const byService = new Map<string, Map<string, Entry<EndpointSlice>>>();
  const note = (entry: Entry<EndpointSlice>, deleted: boolean) => {
    const id = `${entry.namespace}/${entry.name}`;
    const before = serviceOf.get(id);
    const name = deleted ? undefined : entry.labels.get(label);
    const service = name === undefined ? undefined : `${entry.namespace}/${name}`;
    if (before !== undefined && before !== service) {
      const others = byService.get(before);
      others?.delete(id);
      if (others?.size === 0) byService.delete(before);
      serviceOf.delete(id);
    }
    if (service === undefined) return;
    serviceOf.set(id, service);
    const slices = byService.get(service) ?? new Map<string, Entry<EndpointSlice>>();
    byService.set(service, slices.set(id, entry));
  };
  registry.observe(kind, ({ entry, deleted }) => note(entry, deleted));
  for (const entry of registry.peekAll(kind)) note(entry, false);
  return ({ namespace, name }: ObjectRef) => {
    const slices = byService.get(`${namespace}/${name}`);
    return slices && [...slices.values()];
  };
}

/** Names are left out, as proxies of services do. Terminating endpoints are not ready, so they do not count. */
function subsetOf({ addressType, endpoints, ports }: EndpointSlice): readonly ServiceSubset[] {
  if (addressType === "FQDN") return [];
  const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  return [
    {
      addresses: ready.flatMap(({ addresses }) => addresses ?? []),
      ports: (ports ?? []).flatMap(({ name, port }) => (port === undefined ? [] : [{ name: name ?? "", port }])),
    },
  ];
}
