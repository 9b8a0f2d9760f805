/**
 * What the pods on nodes mean for one decision: each group of them is compared with the terms of the decision once, in steps, and what its
 * pods contribute is added. Pods that come or go meanwhile, or are taken away to see whether others would fit, are added and subtracted
 * without comparing anything again.
 */

import type { Cluster, KnownNode } from "./cluster.ts";
import type { PodGroup, PodGroups } from "./pod-groups.ts";

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

/** Ready when all parts are counted. */
export function countingAll<T>(parts: readonly Counting<void>[], ready: T): Counting<T> {
  return {
    *count() {
      for (const part of parts) yield* part.count();
    },
    get isCounted() {
      return parts.every(({ isCounted }) => isCounted);
    },
    decide() {
      return ready;
    },
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
    const { cluster, add } = this.#options;
    const done = new Set<string>();
    this.#adding = { group, nodes: done };
    let additions = 0;
    // Between its steps pods of the group may come to further nodes, which are then the last ones.
    for (const [name, pods] of group.nodes) {
      const node = cluster.node(name);
      if (node === undefined || done.has(name)) continue;
      done.add(name);
      add(part, node, pods);
      additions += part.size;
      if (additions < additionsOfStep) continue;
      yield additions;
      additions = 0;
    }
    this.#adding = undefined;
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
  readonly #places = new Map<string, Map<string, number>>();
  /** The same, to be gone through for each node. */
  readonly #list: (readonly [key: string, places: ReadonlyMap<string, number>])[] = [];

  add(sums: PlaceSums, { labels }: KnownNode, by: number): void {
    for (const [key, sum] of sums.all) {
      const place = labels[key];
      if (place === undefined) continue;
      const places = this.#of(key);
      const next = (places.get(place) ?? 0) + by * sum;
      if (next === 0) places.delete(place);
      else places.set(place, next);
    }
  }

  #of(key: string): Map<string, number> {
    const found = this.#places.get(key);
    if (found !== undefined) return found;
    const places = new Map<string, number>();
    this.#places.set(key, places);
    this.#list.push([key, places]);
    return places;
  }

  /** The sum of the numbers of the places that a node is at. */
  at({ labels }: KnownNode): number {
    let sum = 0;
    for (const [key, places] of this.#list) {
      if (places.size === 0) continue;
      const place = labels[key];
      if (place !== undefined) sum += places.get(place) ?? 0;
    }
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
