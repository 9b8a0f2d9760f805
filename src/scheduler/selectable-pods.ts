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

/** What selectors read of a pod, or of a group of pods. */
export interface SelectablePod {
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** A pod with more labels than this is compared with every term for its namespace. */
export const indexedLabelsMax = 64;
/** Of so many requirements of a selector the one with the fewest pods is taken. */
const requirementsTriedMax = 4;

/** Pods by namespace. */
type Pods<Pod> = Map<string, Set<Pod>>;

export class SelectablePods<Pod extends SelectablePod> {
  readonly #all: Pods<Pod> = new Map();
  readonly #byLabel = new Map<string, Pods<Pod>>();
  /** Those with too many labels. */
  readonly #unindexed: Pods<Pod> = new Map();

  add(pod: Pod): void {
    for (const name of namesOf(pod)) add(this.#at(name), pod);
  }

  remove(pod: Pod): void {
    for (const name of namesOf(pod)) {
      const pods = this.#at(name);
      remove(pods, pod);
      if (pods.size === 0) this.#byLabel.delete(name);
    }
  }

  /** All pods that one of the selections may be about, each once. */
  *candidates(selections: Iterable<PodSelection>): Iterable<Pod> {
    const found = new Set<ReadonlySet<Pod>>();
    /** What was searched in all namespaces. */
    const searched = new Set<Pods<Pod>>();
    for (const { selector, namespaces, namespaceSelector } of selections) {
      for (const pods of [...this.#narrowest(selector, namespaces), this.#unindexed]) {
        if (namespaceSelector === undefined)
          for (const namespace of namespaces) {
            const some = pods.get(namespace);
            if (some !== undefined) found.add(some);
          }
        else if (!searched.has(pods)) {
          searched.add(pods);
          for (const some of pods.values()) found.add(some);
        }
      }
    }
    const told = new Set<Pod>();
    for (const some of found)
      for (const pod of some) {
        if (found.size > 1) {
          if (told.has(pod)) continue;
          told.add(pod);
        }
        yield pod;
      }
  }

  /** Where the pods are that have what one requirement of the selector asks for. */
  #narrowest({ requirements }: LabelSelector, namespaces: ReadonlySet<string>): readonly Pods<Pod>[] {
    let [narrowest, least]: [readonly Pods<Pod>[], number] = [[this.#all], Number.POSITIVE_INFINITY];
    for (const requirement of requirements.filter(isEquality).slice(0, requirementsTriedMax)) {
      const pods = requirement.values.flatMap((value) => this.#byLabel.get(nameOf(requirement.key, value)) ?? []);
      let size = 0;
      for (const each of pods) for (const namespace of namespaces) size += each.get(namespace)?.size ?? 0;
      if (size < least) [narrowest, least] = [pods, size];
    }
    return narrowest;
  }

  #at(name: string): Pods<Pod> {
    if (name === "") return this.#all;
    if (name === unindexed) return this.#unindexed;
    const found = this.#byLabel.get(name) ?? new Map<string, Set<Pod>>();
    this.#byLabel.set(name, found);
    return found;
  }
}

const unindexed = "\0";
const nameOf = (key: string, value: string) => `${key}\0${value}`;
const isEquality = ({ operator }: LabelRequirement) => operator === "=" || operator === "in";

/** Where a pod is found; "": among all. */
function* namesOf({ labels }: SelectablePod): Iterable<string> {
  yield "";
  if (labels.size > indexedLabelsMax) yield unindexed;
  else for (const [key, value] of labels) yield nameOf(key, value);
}

function add<Pod extends SelectablePod>(pods: Pods<Pod>, pod: Pod): void {
  const some = pods.get(pod.namespace) ?? new Set<Pod>();
  pods.set(pod.namespace, some.add(pod));
}

function remove<Pod extends SelectablePod>(pods: Pods<Pod>, pod: Pod): void {
  const some = pods.get(pod.namespace);
  some?.delete(pod);
  if (some?.size === 0) pods.delete(pod.namespace);
}
