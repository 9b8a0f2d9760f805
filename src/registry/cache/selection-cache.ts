/** Parsed selections by their text, so that equal ones share one: a thousand terms take a quarter of a megabyte. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { RegistryListQuery } from "../contract/registry.ts";
import { parseSelection, type Selection } from "./selection.ts";

/** How many characters of selectors are cached; the oldest are dropped first. */
export const rememberedCharsMax = 1024 * 1024;

type Query = Pick<RegistryListQuery, "namespace" | "labelSelector" | "fieldSelector">;

export class SelectionCache {
  readonly #known = new Map<string, Selection>();
  #chars = 0;

  /** Throws as parseSelection does. */
  of(kind: BoundKind, query: Query): Selection {
    const { namespace, labelSelector = "", fieldSelector = "" } = query;
    if (labelSelector === "" && fieldSelector === "") return parseSelection(kind, query);
    const key = JSON.stringify([kind.family.id, kind.apiVersion, namespace, labelSelector, fieldSelector]);
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const selection = parseSelection(kind, query);
    this.#known.set(key, selection);
    this.#chars += key.length;
    for (const oldest of this.#known.keys()) {
      if (this.#chars <= rememberedCharsMax) break;
      this.#known.delete(oldest);
      this.#chars -= oldest.length;
    }
    return selection;
  }
}
