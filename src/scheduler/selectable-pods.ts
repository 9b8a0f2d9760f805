/**
 * Pods by what selectors ask of them. A term is compared only with pods that it may be about: those of its namespaces with one of the labels
 * that it asks for. Whether it is about them is for the comparison to say.
 */

import type { LabelRequirement, LabelSelector } from "../machinery/selectors/label-selector.ts";

/** What selects pods. */
export interface PodSelection {
  readonly selector: LabelSelector;
  readonly namespaces: ReadonlySet<string>;
  /** Undefined: only `namespaces` count. */
  readonly namespaceSelector: LabelSelector | undefined;
}

/** What is kept of a pod. */
export interface SelectablePod {
  readonly key: string;
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** A pod with more labels than this is compared with every term for its namespace. */
export const indexedLabelsMax = 64;
/** Of so many requirements of a selector the one with the fewest pods is taken. */
const requirementsTriedMax = 4;

/** The keys of pods, by namespace. */
type Keys = Map<string, Set<string>>;

export class SelectablePods {
  readonly #all: Keys = new Map();
  readonly #byLabel = new Map<string, Keys>();
  /** Those with too many labels. */
  readonly #unindexed: Keys = new Map();

  /** `before` is no longer there, `after` is now; they are the same pod, or one is absent. */
  replace(before: SelectablePod | undefined, after: SelectablePod | undefined): void {
    if (before !== undefined && after !== undefined && isSame(before.labels, after.labels)) return;
    if (before !== undefined)
      for (const name of namesOf(before)) {
        const keys = this.#at(name);
        remove(keys, before);
        if (keys.size === 0) this.#byLabel.delete(name);
      }
    if (after !== undefined) for (const name of namesOf(after)) add(this.#at(name), after);
  }

  /** The keys of all pods that one of the selections may be about. */
  *candidates(selections: Iterable<PodSelection>): Iterable<string> {
    const found = new Set<ReadonlySet<string>>();
    /** What was searched in all namespaces. */
    const searched = new Set<Keys>();
    for (const { selector, namespaces, namespaceSelector } of selections) {
      for (const keys of [...this.#narrowest(selector, namespaces), this.#unindexed]) {
        if (namespaceSelector === undefined)
          for (const namespace of namespaces) found.add(keys.get(namespace) ?? nothing);
        else if (!searched.has(keys)) {
          searched.add(keys);
          for (const some of keys.values()) found.add(some);
        }
      }
    }
    const told = new Set<string>();
    for (const some of found)
      for (const key of some) {
        if (found.size > 1) {
          if (told.has(key)) continue;
          told.add(key);
        }
        yield key;
      }
  }

  /** Where the pods are that have what one requirement of the selector asks for. */
  #narrowest({ requirements }: LabelSelector, namespaces: ReadonlySet<string>): readonly Keys[] {
    let [narrowest, least]: [readonly Keys[], number] = [[this.#all], Number.POSITIVE_INFINITY];
    for (const requirement of requirements.filter(isEquality).slice(0, requirementsTriedMax)) {
      const keys = requirement.values.flatMap((value) => this.#byLabel.get(nameOf(requirement.key, value)) ?? []);
      let size = 0;
      for (const each of keys) for (const namespace of namespaces) size += each.get(namespace)?.size ?? 0;
      if (size < least) [narrowest, least] = [keys, size];
    }
    return narrowest;
  }

  #at(name: string): Keys {
    if (name === "") return this.#all;
    if (name === unindexed) return this.#unindexed;
    const found = this.#byLabel.get(name) ?? new Map<string, Set<string>>();
    this.#byLabel.set(name, found);
    return found;
  }
}

const nothing: ReadonlySet<string> = new Set();
const unindexed = "\0";
const nameOf = (key: string, value: string) => `${key}\0${value}`;
const isEquality = ({ operator }: LabelRequirement) => operator === "=" || operator === "in";

/** Where a pod is found; "": among all. */
function* namesOf({ labels }: SelectablePod): Iterable<string> {
  yield "";
  if (labels.size > indexedLabelsMax) yield unindexed;
  else for (const [key, value] of labels) yield nameOf(key, value);
}

function add(keys: Keys, { namespace, key }: SelectablePod): void {
  const some = keys.get(namespace) ?? new Set<string>();
  keys.set(namespace, some.add(key));
}

function remove(keys: Keys, { namespace, key }: SelectablePod): void {
  const some = keys.get(namespace);
  some?.delete(key);
  if (some?.size === 0) keys.delete(namespace);
}

function isSame(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): boolean {
  if (some === others) return true;
  if (some.size !== others.size) return false;
  for (const [key, value] of some) if (others.get(key) !== value) return false;
  return true;
}
