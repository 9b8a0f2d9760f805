/** What the nodes of a simulation say about themselves, and what can be done to them. */

import { cordonPatch } from "../../operations/acts.ts";
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

const isCordoned = (node: Json): boolean => text(node, "spec", "unschedulable") === "true";

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
  /** What is said before it is done; "": it is done at once. */
  readonly question: string;
  readonly isOffered: (node: Json) => boolean;
  /** A merge patch of the node. */
  readonly patch: Json;
}

const annotated = (annotations: Json): Json => ({
  metadata: {
    annotations: Object.fromEntries(Object.entries(annotations).map(([name, value]) => [prefix + name, value])),
  },
});

const isWell = (node: Json): boolean => troubleOf(node) === "";

export const nodeActs: readonly NodeAct[] = [
  {
    name: "Fail",
    question: "It says nothing any more, as a machine without power: its pods are lost after a while.",
    isOffered: isWell,
    patch: annotated({ failed: "true" }),
  },
  {
    name: "Not ready",
    question: "It reports that it is not ready: its pods are evicted after a while.",
    isOffered: isWell,
    patch: annotated({ unready: "true" }),
  },
  {
    name: "Memory pressure",
    question: "It reports that it is short of memory, and evicts pods.",
    isOffered: isWell,
    patch: annotated({ pressure: "memory" }),
  },
  {
    name: "Recover",
    question: "",
    isOffered: (node) => troubleOf(node) !== "",
    patch: annotated({ failed: null, unready: null, pressure: null }),
  },
  { name: "Cordon", question: "", isOffered: (node) => !isCordoned(node), patch: cordonPatch(true) },
  { name: "Uncordon", question: "", isOffered: isCordoned, patch: cordonPatch(false) },
];
