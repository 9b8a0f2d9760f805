/** The selectors of all objects of a kind, each parsed once for each state of its object. */

import type { AnyObject } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf } from "../../../client/informer/keys.ts";
import { type LabelSelector, labelMap } from "../../../machinery/selectors/label-selector.ts";

type Labels = Readonly<Record<string, string>> | null | undefined;

/**
 * A parsed selector is kept for as long as its object exists, and replaced when that changes, so there are never more of them than
 * objects, and their size is bounded by that of a selector (`selectorTermsMax`).
 */
interface Selectors {
  /**
   * The keys of the objects in a namespace whose selectors match one of these labels. Absent namespace: objects without one. A
   * selector that cannot be read matches nothing: its object is told when it is worked on.
   */
  matching(namespace: string | undefined, ...labels: readonly Labels[]): readonly string[];
}

/** `selectorOf` may throw. */
export function followSelectors<T extends AnyObject>(
  objects: Informer<T>,
  selectorOf: (object: T) => Pick<LabelSelector, "matches">,
): Selectors {
  const parsed = new Map<string, Map<string, Pick<LabelSelector, "matches">>>();
  const forget = (object: T) => {
    const { namespace = "" } = object.metadata;
    const known = parsed.get(namespace);
    known?.delete(keyOf(object));
    if (known?.size === 0) parsed.delete(namespace);
  };
  const keep = (object: T) => {
    const { namespace = "" } = object.metadata;
    try {
      const selector = selectorOf(object);
      const known = parsed.get(namespace) ?? new Map<string, typeof selector>();
      known.set(keyOf(object), selector);
      parsed.set(namespace, known);
    } catch {
      forget(object);
    }
  };
  objects.on({ add: keep, update: keep, delete: forget });
  return {
    matching(namespace = "", ...labels) {
      const known = parsed.get(namespace);
      if (known === undefined) return [];
      const maps = labels.map(labelMap);
      return [...known].filter(([, { matches }]) => maps.some(matches)).map(([key]) => key);
    },
  };
}
