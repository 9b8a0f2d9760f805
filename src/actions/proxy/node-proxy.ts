/** nodes/proxy: finds the agent of a node, or another port of the node. */

import { Node } from "../../api/core/v1/node.ts";
import { serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action } from "../../registry/contract/action.ts";
import { createAgentAddress, type NodeAddressOptions } from "./agent-address.ts";
import { acceptsAnyCertificate, parseProxiedName, portNumber } from "./proxied-name.ts";

export function createNodeProxy(options: NodeAddressOptions): Action {
  const { catalog } = options;
  const nodes = catalog.of(Node);
  const { vocabulary } = catalog.environment;
  const { addressOf, agentPort } = createAgentAddress(options);
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
