/** services/proxy: would pass a request on to one of the addresses behind a service. */

import type { Endpoints } from "../../api/core/v1/endpoints.ts";
import type { Service } from "../../api/core/v1/service.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { notFound, serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action } from "../../registry/contract.ts";
import { splitName } from "../pods/node-agents.ts";

export function createServiceProxy(catalog: Catalog): Action {
  return {
    async connect({ kind, ref, registry }) {
      const { name, port } = splitName(ref.name, "service");
      const place = { namespace: ref.namespace, name };
      const service = (await registry.get(kind, place)).object() as unknown as Service; // found as a service
      const endpoints = catalog.byResource("", "v1", "endpoints");
      const found = endpoints && registry.peek(endpoints.family, place);
      if (found === undefined) throw notFound({ group: "", kind: kind.resource }, name);
      const ports = service.spec?.ports ?? [];
      const wanted = /^\d+$/.test(port) ? ports.find((one) => String(one.port) === port)?.name : port;
      if (wanted === undefined && !ports.some((one) => String(one.port) === port)) {
        throw serviceUnavailable(`service "${name}" has no port ${port}`);
      }
      const { subsets = [] } = found.object() as unknown as Endpoints; // found as endpoints
      const isReady = subsets.some(
        ({ addresses = [], ports: behind = [] }) =>
          addresses.length > 0 && behind.some((one) => (wanted ?? "") === "" || one.name === wanted),
      );
      if (!isReady) throw serviceUnavailable(`no endpoints available for service "${ref.name}"`);
      throw serviceUnavailable("this server does not proxy to services");
    },
  };
}
