/** How apply sees the items of a list, also where the list does not say so itself. */

import type { ListSchema, ListTopology } from "./schema.ts";

interface Items {
  readonly topology: ListTopology;
  /** Of a map: what identifies an item. */
  readonly keys?: readonly string[];
}

export function listTopology(schema: ListSchema): Items {
  const { topology, keys = [], patchMergeKey, items } = schema;
  if (topology !== undefined) return topology === "map" ? { topology, keys } : { topology };
  // Without a topology, the strategy of strategic merge patches for the list is used as one.
  if (!(schema.patchStrategy ?? "").split(",").includes("merge")) return { topology: "atomic" };
  if (patchMergeKey !== undefined && patchMergeKey !== "") return { topology: "map", keys: [patchMergeKey] };
  return { topology: items.type === "struct" || items.type === "map" ? "atomic" : "set" };
}
