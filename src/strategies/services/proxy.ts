/** services/proxy: would forward a request to one of the addresses of a service. */

import { Endpoints } from "../../api/core/v1/endpoints.ts";
import { Service, type ServicePort } from "../../api/core/v1/service.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { notFound, serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action } from "../../registry/contract/action.ts";
import type { ObjectRef } from "../../registry/contract/entry.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { splitName } from "../pods/node-agents.ts";

export function createServiceProxy(catalog: Catalog): Action {
  return {
    async connect({ kind, ref, registry }) {
      const { name, port } = splitName(ref.name, "service");
      const place = { namespace: ref.namespace, name };
      // Only a port number needs the service, which has the names of its ports.
      const ports = /^\d+$/.test(port) ? await portsOf(registry, catalog, place) : undefined;
      const named = ports?.find((one) => String(one.port) === port);
      if (ports !== undefined && named === undefined) throw serviceUnavailable(`service "${name}" has no port ${port}`);
      const wanted = ports === undefined ? port : (named?.name ?? "");
      const found = registry.peek(catalog.of(Endpoints), place);
      if (found === undefined) throw notFound({ group: "", kind: kind.resource }, name);
      const { subsets = [] } = found.object();
      const isReady = subsets.some(
        ({ addresses = [], ports: behind = [] }) =>
          addresses.length > 0 && behind.some((one) => (one.name ?? "") === wanted),
      );
      if (!isReady) throw serviceUnavailable(`no endpoints available for service "${ref.name}"`);
      throw serviceUnavailable("this server does not proxy to services");
    },
  };
}

async function portsOf(registry: Registry, catalog: Catalog, place: ObjectRef): Promise<readonly ServicePort[]> {
  const { spec } = await registry.read(catalog.of(Service), place);
  return spec?.ports ?? [];
}
