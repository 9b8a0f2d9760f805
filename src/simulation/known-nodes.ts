/** The simulated nodes of one agent: their positions, and what is wrong with each, without reading objects again. */

import type { Node } from "../api/core/v1/node.ts";
import type { Informer } from "../client/informer/contract.ts";
import { type NodeOptions, nodeName, simulatedLabel } from "./node.ts";
import { conditionStates, type NodeTrouble, troubleOf } from "./node-trouble.ts";

export interface KnownNodes {
  /** By name, of all that there should be. */
  readonly positions: ReadonlyMap<string, number>;
  /** Undefined: the node is not registered, or is somebody else's. */
  trouble(name: string): NodeTrouble | undefined;
  /** What its status says. Undefined: as with `trouble`. */
  said(name: string): SaidStatus | undefined;
  /** Whether its agent works. */
  isAlive(name: string): boolean;
}

interface SaidStatus {
  /** When; NaN: never. */
  readonly atMs: number;
  /** Whether it says what is wrong with the node; others may have called the node silent meanwhile. */
  readonly showsTrouble: boolean;
}

/** `changed` is called when a node appears, or its trouble changes. */
export function followNodes(
  nodes: Informer<Node>,
  { count }: NodeOptions,
  changed: (name: string) => void,
): KnownNodes {
  const positions = new Map(Array.from({ length: count }, (_, at) => [nodeName(at), at]));
  const known = new Map<string, { readonly trouble: NodeTrouble; readonly text: string; said: SaidStatus }>();
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
    const said = saidBy(node, trouble);
    if (before?.text === text) {
      before.said = said;
      return;
    }
    known.set(name, { trouble, text, said });
    changed(name);
  };
  nodes.on({ add: see, update: see, delete: ({ metadata }) => known.delete(metadata.name ?? "") });
  return {
    positions,
    trouble: (name) => known.get(name)?.trouble,
    said: (name) => known.get(name)?.said,
    isAlive: (name) => known.get(name)?.trouble.hasFailed === false,
  };
}

function saidBy({ status }: Node, trouble: NodeTrouble): SaidStatus {
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const showsTrouble = conditionStates(trouble).every(([type, isTrue]) =>
    conditions.some((one) => one.type === type && one.status === (isTrue ? "True" : "False")),
  );
  return { atMs: Date.parse(ready?.lastHeartbeatTime ?? ""), showsTrouble };
}
