/** nodes/proxy: finds the agent of a node, or another port of the node. */

import { Node } from "../../api/core/v1/node.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action } from "../../registry/contract/action.ts";
import { acceptsAnyCertificate, parseProxiedName, portNumber } from "./proxied-name.ts";

/** Where agents of nodes listen unless the node says otherwise. */
const agentPortDefault = 10_250;

export interface NodeProxyOptions {
  readonly catalog: Catalog;
  /** In the order in which they are tried. */
  readonly addressTypes: readonly string[];
}

export function createNodeProxy({ catalog, addressTypes }: NodeProxyOptions): Action {
  const nodes = catalog.of(Node);
  const { vocabulary } = catalog.environment;
  const endpointField = vocabulary.field("orchletEndpoint");
  const agentPort = ({ status }: Node): number => {
    const endpoints = (status?.daemonEndpoints ?? {}) as Record<string, { Port?: number } | undefined>;
    return endpoints[endpointField]?.Port || agentPortDefault;
  };
  const addressOf = ({ status }: Node): string | undefined => {
    const known = status?.addresses ?? [];
    return addressTypes.flatMap((type) => known.filter((one) => one.type === type))[0]?.address;
  };
  return {
    async connect({ ref, registry }) {
      const { scheme, name, port } = parseProxiedName(ref.name, "node");
      const place = { namespace: "", name };
      const node = await registry.read(nodes, place);
      const host = addressOf(node);
      if (host === undefined) {
        const known = (node.status?.addresses ?? []).map(({ type, address }) => `${type}:${address}`);
        throw serviceUnavailable(`no preferred addresses found; known addresses: [${known.join(", ")}]`);
      }
      const agent = agentPort(node);
      const isNodeAgent = port === "" || port === String(agent);
      const chosen = isNodeAgent ? agent : portNumber(port);
      if (chosen === undefined) {
        throw serviceUnavailable(`error trying to reach service: unknown port "${port.slice(0, 63)}"`);
      }
      return {
        scheme: isNodeAgent ? "https" : (scheme ?? "http"),
        host,
        port: chosen,
        isCurrent() {
          const now = registry.peek(nodes, place)?.object();
          return now !== undefined && addressOf(now) === host && (!isNodeAgent || agentPort(now) === chosen);
        },
        serverName: host,
        anyCertificate: acceptsAnyCertificate(node, vocabulary),
        isNodeAgent,
      };
    },
  };
}
