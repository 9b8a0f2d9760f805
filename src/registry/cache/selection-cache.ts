/**
 * Parsed selections by their text, so that equal ones share one: a thousand terms take a quarter of a megabyte. The kind decides too, the
 * very one: a definition that changes may have other selectable fields under the same name.
 */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ListCondition } from "../contract/question.ts";
import type { RegistryListQuery } from "../contract/registry.ts";
import { parseSelection, type Selection } from "./selection.ts";

/** How many characters of selectors are cached; the oldest are dropped first. */
export const rememberedCharsMax = 1024 * 1024;

type Query = Pick<RegistryListQuery, "namespace" | "labelSelector" | "fieldSelector">;

export class SelectionCache {
  readonly #known = new Map<string, { readonly kind: BoundKind; readonly selection: Selection }>();
  #chars = 0;

  /** Throws as parseSelection does. */
  of(kind: BoundKind, query: Query, condition?: ListCondition): Selection {
    const { namespace, labelSelector = "", fieldSelector = "" } = query;
    // A condition takes much memory, and its watchers share nothing.
    if (condition !== undefined || (labelSelector === "" && fieldSelector === ""))
      return parseSelection(kind, query, condition);
    const key = JSON.stringify([kind.family.id, kind.apiVersion, namespace, labelSelector, fieldSelector]);
    const known = this.#known.get(key);
    const isOwn = known?.kind === kind;
    if (checksCaches && isOwn) checkAnswer("selections", known.selection, parseSelection(kind, query));
    const selection = isOwn ? known.selection : parseSelection(kind, query);
    if (known === undefined) this.#chars += key.length;
    else this.#known.delete(key);
    this.#known.set(key, isOwn ? known : { kind, selection });
    for (const oldest of this.#known.keys()) {
      if (this.#chars <= rememberedCharsMax) break;
      this.#known.delete(oldest);
      this.#chars -= oldest.length;
    }
    return selection;
  }
}
