/** Where the agent of a node is reached: its preferred address, and the port that it says it listens on. */

import type { Node } from "../../api/core/v1/node.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";

/** Where agents of nodes listen unless the node says otherwise. */
const agentPortDefault = 10_250;

export interface NodeAddressOptions {
  readonly catalog: Catalog;
  /** In the order in which they are tried. */
  readonly addressTypes: readonly string[];
}

interface AgentAddress {
  /** Undefined: the node has no address of a preferred type. */
  addressOf(node: Node): string | undefined;
  agentPort(node: Node): number;
}

export function createAgentAddress({ catalog, addressTypes }: NodeAddressOptions): AgentAddress {
  const endpointField = catalog.environment.vocabulary.field("orchletEndpoint");
  return {
    addressOf({ status }) {
      const known = status?.addresses ?? [];
      return addressTypes.flatMap((type) => known.filter((one) => one.type === type))[0]?.address;
    },
    agentPort({ status }) {
      // The field has another name in each vocabulary, which the type does not know.
      const endpoints = (status?.daemonEndpoints ?? {}) as Record<string, { Port?: number } | undefined>;
      return endpoints[endpointField]?.Port || agentPortDefault;
    },
  };
}
