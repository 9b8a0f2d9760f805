/**
 * What the pods on nodes mean for one decision: each is compared with the terms of the decision once, in steps, and what it contributes is
 * added. Pods that come or go meanwhile, or are taken away to see whether others would fit, are added and subtracted without comparing
 * them again.
 */

import type { Cluster, KnownNode, KnownPod } from "./cluster.ts";

/** Something that must be counted before it can be used. */
export interface Counting<T> {
  /** To be run to its end first. Each step yields how many comparisons of the pod's own terms it took. */
  count(): Iterable<number>;
  readonly ready: T;
  /** Nothing is followed any more. */
  stop(): void;
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

export class PodTally<Part> {
  readonly #options: PodTallyOptions<Part>;
  /** What pods contribute, also those that are away now. */
  readonly #known = new Map<
    string,
    { readonly known: KnownPod; readonly node: KnownNode; readonly parts: readonly Part[] }
  >();
  readonly #present = new Set<string>();
  /** Pods that left before they were counted. */
  readonly #gone = new Set<string>();
  #stop: (() => void) | undefined;

  constructor(options: PodTallyOptions<Part>) {
    this.#options = options;
  }

  *count(): Generator<number> {
    const { cluster, pods, cost } = this.#options;
    this.#stop = cluster.follow((known, node, by) => this.#moved(known, node, by));
    for (const { known, node } of [...pods()]) {
      if (this.#present.has(known.key) || this.#gone.has(known.key)) continue;
      this.#add(known, node);
      yield cost;
    }
  }

  stop(): void {
    this.#stop?.();
  }

  #moved(known: KnownPod, node: KnownNode, by: 1 | -1): void {
    if (by === 1) {
      if (!this.#present.has(known.key)) this.#add(known, node);
      return;
    }
    if (this.#present.delete(known.key))
      for (const part of this.#known.get(known.key)?.parts ?? []) this.#options.add(part, -1);
    else this.#gone.add(known.key);
  }

  #add(known: KnownPod, node: KnownNode): void {
    const before = this.#known.get(known.key);
    const isSame = before?.known === known && before.node === node;
    const parts = isSame ? before.parts : this.#options.compare(known, node);
    if (!isSame) this.#known.set(known.key, { known, node, parts });
    this.#present.add(known.key);
    for (const part of parts) this.#options.add(part, 1);
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
