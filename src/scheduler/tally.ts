/**
 * What the pods on nodes mean for one decision: each is compared with the terms of the decision once, in steps, and what it contributes is
 * added. Pods that come or go meanwhile, or are taken away to see whether others would fit, are added and subtracted without comparing
 * them again.
 */

import type { Cluster, KnownNode, KnownPod } from "./cluster.ts";

/** Something that must be counted before it can be used. */
export interface Counting<T> {
  /**
   * To be run to its end first, and again until `isCounted`: pods may come between its steps. Each step yields how many comparisons of the
   * pod's own terms it took.
   */
  count(): Iterable<number>;
  /** Whether nothing has come since it was counted last. */
  readonly isCounted: boolean;
  /** What was counted, for a decision at once: from now on, until it is stopped, pods count as soon as they move. */
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
      for (const part of parts) part.decide();
      return ready;
    },
    stop() {
      for (const part of parts) part.stop();
    },
  };
}

interface PodTallyOptions<Part> {
  readonly cluster: Cluster;
  /** The pods to begin with. */
  pods(): Iterable<{ readonly known: KnownPod; readonly node: KnownNode }>;
  /** What a pod on a node contributes. */
  compare(known: KnownPod, node: KnownNode): readonly Part[];
  add(part: Part, by: 1 | -1): void;
  /** How many comparisons one pod takes. */
  readonly cost: number;
}

export class PodTally<Part> implements Counting<void> {
  readonly #options: PodTallyOptions<Part>;
  /** What pods contribute, also those that are away now. */
  readonly #known = new Map<
    string,
    { readonly known: KnownPod; readonly node: KnownNode; readonly parts: readonly Part[] }
  >();
  readonly #present = new Set<string>();
  /** Pods to compare in further steps: those that were there, and those that came since. */
  readonly #waiting = new Map<string, { readonly known: KnownPod; readonly node: KnownNode }>();
  /** Whether the decision is made now: pods that are moved for it count at once. */
  #isDeciding = false;
  #stop: (() => void) | undefined;

  constructor(options: PodTallyOptions<Part>) {
    this.#options = options;
  }

  *count(): Generator<number> {
    const { cluster, pods, cost } = this.#options;
    if (this.#stop === undefined) {
      this.#stop = cluster.follow((known, node, by) => this.#moved(known, node, by));
      for (const one of pods()) this.#waiting.set(one.known.key, one);
    }
    // A pod that another decision moves while this one is counted is compared here, not in the turn of the other decision.
    for (const [key, { known, node }] of this.#waiting) {
      this.#waiting.delete(key);
      this.#add(known, node);
      yield cost;
    }
    for (const { known, node } of cluster.expected()) {
      if (this.#isKnown(known, node)) continue;
      this.#known.set(known.key, { known, node, parts: this.#options.compare(known, node) });
      yield cost;
    }
  }

  get isCounted(): boolean {
    if (this.#waiting.size > 0) return false;
    for (const { known, node } of this.#options.cluster.expected()) if (!this.#isKnown(known, node)) return false;
    return true;
  }

  decide(): void {
    this.#isDeciding = true;
  }

  stop(): void {
    this.#stop?.();
  }

  #moved(known: KnownPod, node: KnownNode, by: 1 | -1): void {
    if (by === 1) {
      if (this.#isDeciding) this.#add(known, node);
      else this.#waiting.set(known.key, { known, node });
      return;
    }
    this.#waiting.delete(known.key);
    if (!this.#present.delete(known.key)) return;
    for (const part of this.#known.get(known.key)?.parts ?? []) this.#options.add(part, -1);
  }

  #isKnown(known: KnownPod, node: KnownNode): boolean {
    const before = this.#known.get(known.key);
    return before?.known === known && before.node === node;
  }

  #add(known: KnownPod, node: KnownNode): void {
    if (this.#present.has(known.key)) return;
    if (!this.#isKnown(known, node))
      this.#known.set(known.key, { known, node, parts: this.#options.compare(known, node) });
    this.#present.add(known.key);
    for (const part of this.#known.get(known.key)?.parts ?? []) this.#options.add(part, 1);
  }
}

/** Numbers by topology label and its value. */
export class PlaceCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  add({ key, place, count }: PlacePart, by: 1 | -1): void {
    const places = this.#counts.get(key) ?? new Map<string, number>();
    this.#counts.set(key, places);
    const next = (places.get(place) ?? 0) + by * count;
    if (next === 0) places.delete(place);
    else places.set(place, next);
  }

  /** The numbers of the places that a node is at. */
  *at({ labels }: KnownNode): Iterable<number> {
    for (const [key, places] of this.#counts) {
      const place = labels[key];
      const found = place === undefined ? undefined : places.get(place);
      if (found !== undefined) yield found;
    }
  }
}

export interface PlacePart {
  readonly key: string;
  readonly place: string;
  readonly count: number;
}

/** The sum of numbers, by topology label, at the places of a node. */
export class PlaceSums {
  readonly #sums = new Map<string, number>();

  add(key: string, count: number): void {
    this.#sums.set(key, (this.#sums.get(key) ?? 0) + count);
  }

  parts({ labels }: KnownNode): readonly PlacePart[] {
    return [...this.#sums].map(([key, count]) => ({ key, place: labels[key] ?? "", count }));
  }
}
