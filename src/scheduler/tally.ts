/**
 * What the pods on nodes mean for one decision: each group of them is compared with the terms of the decision once, in steps, and what its
 * pods contribute is added. Pods that come or go meanwhile, or are taken away to see whether others would fit, are added and subtracted
 * without comparing anything again.
 */

import type { Cluster, KnownNode } from "./cluster.ts";
import type { PodGroup, PodGroups } from "./pod-groups.ts";
import { PlaceNumbers } from "./topology.ts";

/** Something that must be counted before it can be used. */
export interface Counting<T> {
  /**
   * To be run to its end first, and again until `isCounted`: pods may come between its steps. Each step yields how many comparisons of the
   * pod's own terms it took, and many additions as if they were comparisons.
   */
  count(): Iterable<number>;
  /** Whether nothing has come since it was counted last. */
  readonly isCounted: boolean;
  /** What was counted, for a decision at once. Until it is stopped, pods count as soon as they move. */
  decide(): T;
  /** Nothing is followed any more. */
  stop(): void;
}

/** Nothing is to be counted; what the answer depends on is read when the decision is made. */
export function atDecision<T>(decide: () => T): Counting<T> {
  return { *count() {}, isCounted: true, decide, stop() {} };
}

/** What is made of the outcome when the decision is made. */
export function counted<T, U>(made: T | Counting<T>, decide: (outcome: T) => U): Counting<U> {
  if (!isCounting(made)) return atDecision(() => decide(made));
  return {
    count: () => made.count(),
    get isCounted() {
      return made.isCounted;
    },
    decide: () => decide(made.decide()),
    stop: () => made.stop(),
  };
}

const isCounting = <T>(made: T | Counting<T>): made is Counting<T> => typeof made !== "function";

/** Ready when all parts are counted. */
export function countingAll<T>(parts: readonly Counting<void>[], decide: () => T): Counting<T> {
  return {
    *count() {
      for (const part of parts) yield* part.count();
    },
    get isCounted() {
      return parts.every(({ isCounted }) => isCounted);
    },
    decide,
    stop() {
      for (const part of parts) part.stop();
    },
  };
}

/** What each pod of a group contributes. */
interface Contribution {
  /** How many numbers it changes. */
  readonly size: number;
}

interface PodTallyOptions<Group, Part extends Contribution> {
  readonly cluster: Cluster;
  /** The groups that may contribute anything. */
  groups(): Iterable<Group>;
  groupOf(groups: PodGroups): Group | undefined;
  compare(group: Group): Part;
  /** So many pods of a group are on the node. */
  add(part: Part, node: KnownNode, by: number): void;
  /** How many comparisons one group takes. */
  readonly cost: number;
}

/** So many additions are one step. */
const additionsOfStep = 1_000;

export class PodTally<Group extends PodGroup, Part extends Contribution> implements Counting<void> {
  readonly #options: PodTallyOptions<Group, Part>;
  readonly #parts = new Map<Group, Part>();
  /** Of which not all nodes are added yet. */
  #adding: { readonly group: Group; readonly nodes: Set<string> } | undefined;
  /** The groups that were there when it was counted last. */
  #version: number | undefined;
  #stop: (() => void) | undefined;

  constructor(options: PodTallyOptions<Group, Part>) {
    this.#options = options;
  }

  *count(): Generator<number> {
    const { cluster, groups, compare, cost } = this.#options;
    this.#stop ??= cluster.follow((moved, node, by) => this.#moved(moved, node, by));
    while (!this.isCounted) {
      this.#version = cluster.groupsVersion;
      for (const group of groups()) {
        if (this.#parts.has(group)) continue;
        const part = compare(group);
        this.#parts.set(group, part);
        if (part.size > 0) yield* this.#addAll(group, part);
        yield cost;
      }
    }
  }

  get isCounted(): boolean {
    return this.#version === this.#options.cluster.groupsVersion;
  }

  decide(): void {
    // Everything is counted already.
  }

  stop(): void {
    this.#stop?.();
  }

  *#addAll(group: Group, part: Part): Generator<number> {
    if (group.nodes.size * part.size < additionsOfStep) {
      for (const [name, pods] of group.nodes) this.#addOn(name, part, pods);
      return;
    }
    const done = new Set<string>();
    this.#adding = { group, nodes: done };
    let additions = 0;
    // Between its steps pods of the group may come to further nodes, which are then the last ones.
    for (const [name, pods] of group.nodes) {
      if (done.has(name)) continue;
      done.add(name);
      this.#addOn(name, part, pods);
      additions += part.size;
      if (additions < additionsOfStep) continue;
      yield additions;
      additions = 0;
    }
    this.#adding = undefined;
  }

  #addOn(name: string, part: Part, pods: number): void {
    const node = this.#options.cluster.node(name);
    if (node !== undefined) this.#options.add(part, node, pods);
  }

  #moved(groups: PodGroups, node: KnownNode, by: 1 | -1): void {
    const group = this.#options.groupOf(groups);
    const part = group && this.#parts.get(group);
    if (part === undefined || part.size === 0) return;
    const isAhead = this.#adding?.group === group && this.#adding?.nodes.has(node.name) === false;
    if (!isAhead) this.#options.add(part, node, by);
  }
}

/** Numbers by topology label and its value. */
export class PlaceCounts {
  readonly #cluster: Cluster;
  readonly #places = new Map<string, PlaceNumbers>();
  /** The same, to be gone through for each node. */
  readonly #list: PlaceNumbers[] = [];

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Whether each node has 0. */
  get isEmpty(): boolean {
    return this.#list.every(({ size }) => size === 0);
  }

  add(sums: PlaceSums, node: KnownNode, by: number): void {
    for (const [key, sum] of sums.all) {
      // Of thousands of labels a node has few.
      if (node.labels[key] === undefined) continue;
      const places = this.#of(key);
      places.add(places.topology.placeOf(node), by * sum);
    }
  }

  #of(key: string): PlaceNumbers {
    const found = this.#places.get(key);
    if (found !== undefined) return found;
    const places = new PlaceNumbers(this.#cluster.topology(key));
    this.#places.set(key, places);
    this.#list.push(places);
    return places;
  }

  /** The sum of the numbers of the places that a node is at. */
  at(node: KnownNode): number {
    let sum = 0;
    const list = this.#list;
    for (let each = 0; each < list.length; each++) sum += list[each]!.at(node); // within the list
    return sum;
  }
}

/** Numbers by topology label: what each pod of a group counts for, wherever it is. */
export class PlaceSums implements Contribution {
  readonly all = new Map<string, number>();

  get size(): number {
    return this.all.size;
  }

  add(key: string, count: number): void {
    this.all.set(key, (this.all.get(key) ?? 0) + count);
  }
}
