/** The selectors of all objects of a kind, each parsed once for each state of its object. */

import type { AnyObject } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf, splitKey } from "../../../client/informer/keys.ts";
import { type LabelSelector, labelMap } from "../../../machinery/selectors/label-selector.ts";

type Labels = Readonly<Record<string, string>> | null | undefined;

type Matcher = Pick<LabelSelector, "matches">;

/**
 * A parsed selector is kept for as long as its object exists, and replaced when that changes, so there are never more of them than
 * objects. A selector in an object may have as many requirements as the object has room for (`valueBytesMax`); the limits of selectors
 * in queries do not hold for it. To match labels costs as much as the labels, however many requirements there are.
 */
interface Selectors {
  /** The selector of the object with this key. Undefined: there is no such object, or its selector cannot be read. */
  of(key: string): Matcher | undefined;
  /**
   * The keys of the objects in a namespace whose selectors match one of these labels. Absent namespace: objects without one. A
   * selector that cannot be read matches nothing: the controller reports it when it reconciles the object.
   */
  matching(namespace: string | undefined, ...labels: readonly Labels[]): readonly string[];
  /** Whether the selector of some object in a namespace matches these labels. */
  hasMatch(namespace: string, labels: ReadonlyMap<string, string>): boolean;
}

/** `selectorOf` may throw. */
export function followSelectors<T extends AnyObject>(
  objects: Informer<T>,
  selectorOf: (object: T) => Matcher,
): Selectors {
  const parsed = new Map<string, Map<string, Matcher>>();
  const forget = (object: T) => {
    const { namespace = "" } = object.metadata;
    const known = parsed.get(namespace);
    known?.delete(keyOf(object));
    if (known?.size === 0) parsed.delete(namespace);
  };
  const keep = (object: T) => {
    const { namespace = "" } = object.metadata;
    try {
      // Its requirements are needed no more.
      const { matches } = selectorOf(object);
      const known = parsed.get(namespace) ?? new Map<string, Matcher>();
      known.set(keyOf(object), { matches });
      parsed.set(namespace, known);
    } catch {
      forget(object);
    }
  };
  objects.on({ add: keep, update: keep, delete: forget });
  return {
    of: (key) => parsed.get(splitKey(key).namespace ?? "")?.get(key),
    matching(namespace = "", ...labels) {
      const known = parsed.get(namespace);
      if (known === undefined) return [];
      const maps = labels.map(labelMap);
      return [...known].filter(([, { matches }]) => maps.some(matches)).map(([key]) => key);
    },
    hasMatch: (namespace, labels) =>
      [...(parsed.get(namespace)?.values() ?? [])].some(({ matches }) => matches(labels)),
  };
}
