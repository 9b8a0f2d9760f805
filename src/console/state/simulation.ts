/** What the nodes of a simulation say about themselves, and what can be done to them. */

import { type Json, parts, text } from "../server/json.ts";

/** Annotations and labels of a simulation have this prefix in every vocabulary. */
const prefix = "simulation.orch.io/";
export const simulatedNodes = `${prefix}simulated=true`;

const troubles = ["failed", "unready", "pressure"] as const;

/** "Ready", "NotReady, cordoned, MemoryPressure". */
export function nodeState(node: Json): string {
  const conditions = parts(node, "status", "conditions");
  const ready = conditions.find((one) => text(one, "type") === "Ready");
  const others = conditions.filter((one) => one !== ready && text(one, "status") === "True");
  return [
    text(ready, "status") === "True" ? "Ready" : "NotReady",
    ...(isCordoned(node) ? ["cordoned"] : []),
    ...others.map((one) => text(one, "type")),
  ].join(", ");
}

export const isCordoned = (node: Json): boolean => text(node, "spec", "unschedulable") === "true";

/** What a node was made to do: "failed", "pressure: memory". */
export const troubleOf = (node: Json): string =>
  troubles
    .flatMap((name) => {
      const value = text(node, "metadata", "annotations", prefix + name);
      return value === "" ? [] : [value === "true" ? name : `${name}: ${value}`];
    })
    .join(", ");

export interface NodeAct {
  readonly name: string;
  readonly isOffered: (node: Json) => boolean;
  /** A merge patch of the node. */
  readonly patch: Json;
}

const annotated = (annotations: Json): Json => ({
  metadata: {
    annotations: Object.fromEntries(Object.entries(annotations).map(([name, value]) => [prefix + name, value])),
  },
});

export const nodeActs: readonly NodeAct[] = [
  { name: "Fail", isOffered: (node) => troubleOf(node) === "", patch: annotated({ failed: "true" }) },
  { name: "Not ready", isOffered: (node) => troubleOf(node) === "", patch: annotated({ unready: "true" }) },
  { name: "Memory pressure", isOffered: (node) => troubleOf(node) === "", patch: annotated({ pressure: "memory" }) },
  {
    name: "Recover",
    isOffered: (node) => troubleOf(node) !== "",
    patch: annotated({ failed: null, unready: null, pressure: null }),
  },
  { name: "Cordon", isOffered: (node) => !isCordoned(node), patch: { spec: { unschedulable: true } } },
  { name: "Uncordon", isOffered: isCordoned, patch: { spec: { unschedulable: null } } },
];
