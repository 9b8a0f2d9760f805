/** What is wrong with a simulated node, as its annotations say; the same in every vocabulary. */

import type { Node } from "../api/core/v1/node.ts";

const troubleAnnotations = {
  /** "true": the node sends no sign of life, as if it had failed. */
  failed: "simulation.orch.io/failed",
  /** "true": the node says that it is not ready. */
  unready: "simulation.orch.io/unready",
  /** "memory", "disk", "pid", or several with commas: the node is short of it, and evicts pods. */
  pressure: "simulation.orch.io/pressure",
} as const;

/** The conditions of nodes, by the word for what they are short of. */
const pressures: Readonly<Record<string, string>> = {
  memory: "MemoryPressure",
  disk: "DiskPressure",
  pid: "PIDPressure",
};

export interface NodeTrouble {
  readonly hasFailed: boolean;
  readonly isUnready: boolean;
  /** Names of `pressures`. */
  readonly pressures: ReadonlySet<string>;
}

export const noTrouble: NodeTrouble = { hasFailed: false, isUnready: false, pressures: new Set() };

export function troubleOf({ metadata }: Node): NodeTrouble {
  const { annotations } = metadata;
  const { failed, unready, pressure } = troubleAnnotations;
  if (annotations === undefined) return noTrouble;
  return {
    hasFailed: annotations[failed] === "true",
    isUnready: annotations[unready] === "true",
    pressures: new Set((annotations[pressure] ?? "").split(/,\s*/).filter((name) => Object.hasOwn(pressures, name))),
  };
}

/** The conditions of a node with this trouble, and whether each is true. */
export const conditionStates = ({
  pressures: present,
  isUnready,
}: NodeTrouble): readonly [type: string, isTrue: boolean][] => [
  ...Object.entries(pressures).map(([name, type]): [string, boolean] => [type, present.has(name)]),
  ["Ready", !isUnready],
];
