/** The simulated nodes of one agent: their positions, and what is wrong with each, without reading objects again. */

import type { Node } from "../api/core/v1/node.ts";
import type { Informer } from "../client/informer/contract.ts";
import { type NodeOptions, nodeName, simulatedLabel } from "./node.ts";
import { type NodeTrouble, troubleOf } from "./node-trouble.ts";

export interface KnownNodes {
  /** By name, of all that there should be. */
  readonly positions: ReadonlyMap<string, number>;
  /** Undefined: the node is not registered, or is somebody else's. */
  trouble(name: string): NodeTrouble | undefined;
  /** Whether its agent works. */
  isAlive(name: string): boolean;
}

/** `changed` is called when a node appears, or its trouble changes. */
export function followNodes(
  nodes: Informer<Node>,
  { count }: NodeOptions,
  changed: (name: string) => void,
): KnownNodes {
  const positions = new Map(Array.from({ length: count }, (_, at) => [nodeName(at), at]));
  const known = new Map<string, { readonly trouble: NodeTrouble; readonly text: string }>();
  const see = (node: Node) => {
    const { name = "", labels } = node.metadata;
    if (!positions.has(name)) return;
    if (labels?.[simulatedLabel] !== "true") {
      known.delete(name);
      return;
    }
    const trouble = troubleOf(node);
    const before = known.get(name);
    const text = JSON.stringify([trouble.hasFailed, trouble.isUnready, [...trouble.pressures]]);
    if (before?.text === text) return;
    known.set(name, { trouble, text });
    changed(name);
  };
  nodes.on({ add: see, update: see, delete: ({ metadata }) => known.delete(metadata.name ?? "") });
  return {
    positions,
    trouble: (name) => known.get(name)?.trouble,
    isAlive: (name) => known.get(name)?.trouble.hasFailed === false,
  };
}
