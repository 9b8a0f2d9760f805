/**
 * The places of nodes as numbers: each value of a topology label has one. A decision compares thousands of nodes, and finds what it knows of
 * their places in arrays instead of by text.
 */

import type { KnownNode } from "./cluster.ts";

/** Of a node that does not have the label. */
export const noPlace = -1;
const notAsked = -2;

const nodesAtFirst = 64;

export class Topology {
  readonly key: string;
  /** By the value of the label. A number stays that of its place as long as somebody uses this. */
  readonly #numbers = new Map<string, number>();
  /** By the seat of the node. Undefined: the cluster does not keep this any more, so it is not told which seats are free. */
  #bySeat: Int32Array | undefined = new Int32Array(nodesAtFirst).fill(notAsked);

  constructor(key: string) {
    this.key = key;
  }

  /** How many places have been seen. */
  get size(): number {
    return this.#numbers.size;
  }

  placeOf({ seat, labels }: Pick<KnownNode, "seat" | "labels">): number {
    const bySeat = this.#bySeat;
    if (bySeat === undefined) return this.numberOf(labels[this.key]);
    const known = seat < bySeat.length ? bySeat[seat]! : notAsked; // within
    if (known !== notAsked) return known;
    return this.#keep(seat, this.numberOf(labels[this.key]));
  }

  numberOf(place: string | undefined): number {
    if (place === undefined) return noPlace;
    const known = this.#numbers.get(place);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(place, number);
    return number;
  }

  #keep(seat: number, place: number): number {
    let bySeat = this.#bySeat ?? new Int32Array(nodesAtFirst);
    if (seat >= bySeat.length) {
      const longer = new Int32Array(Math.max(seat + 1, bySeat.length * 2)).fill(notAsked);
      longer.set(bySeat);
      bySeat = longer;
    }
    bySeat[seat] = place;
    this.#bySeat = bySeat;
    return place;
  }

  /** Another node may get it. */
  free(seat: number): void {
    if (this.#bySeat !== undefined && seat < this.#bySeat.length) this.#bySeat[seat] = notAsked;
  }

  /** Those who still use it read labels from now on. */
  retire(): void {
    this.#bySeat = undefined;
  }
}

/** Kept for so many topology labels, about which most decisions are. */
export const topologiesMax = 32;
/** A topology with so many more places than there are nodes has those of nodes that have gone. */
const [placesOfNode, placesAtLeast] = [2, 1_000];

/** The topologies that decisions have asked about, and the seats of nodes: a node whose labels change gets another seat. */
export class Topologies {
  readonly #kept = new Map<string, Topology>();
  readonly #free: number[] = [];
  #seats = 0;

  of(key: string): Topology {
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.size <= Math.max(placesAtLeast, this.#seats * placesOfNode)) return kept;
    const [oldest] = this.#kept.keys();
    if (kept !== undefined) this.#retire(key);
    else if (this.#kept.size >= topologiesMax && oldest !== undefined) this.#retire(oldest);
    const topology = new Topology(key);
    this.#kept.set(key, topology);
    return topology;
  }

  #retire(key: string): void {
    this.#kept.get(key)?.retire();
    this.#kept.delete(key);
  }

  takeSeat(): number {
    return this.#free.pop() ?? this.#seats++;
  }

  freeSeat(seat: number): void {
    for (const topology of this.#kept.values()) topology.free(seat);
    this.#free.push(seat);
  }
}

/** A number for each place of a topology. */
export class PlaceNumbers {
  readonly topology: Topology;
  #numbers: Float64Array;
  #set = 0;

  constructor(topology: Topology) {
    this.topology = topology;
    this.#numbers = new Float64Array(topology.size);
  }

  /** At how many places the number is not 0. */
  get size(): number {
    return this.#set;
  }

  at(node: Pick<KnownNode, "seat" | "labels">): number {
    return this.get(this.topology.placeOf(node));
  }

  get(place: number): number {
    const numbers = this.#numbers;
    return place >= 0 && place < numbers.length ? numbers[place]! : 0; // within
  }

  /** Returns the number that was there before. */
  add(place: number, by: number): number {
    if (place < 0) return 0;
    if (place >= this.#numbers.length) {
      const longer = new Float64Array(Math.max(place + 1, this.topology.size, this.#numbers.length * 2));
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    const before = this.#numbers[place]!; // within
    const next = before + by;
    this.#numbers[place] = next;
    if (before === 0 && next !== 0) this.#set++;
    else if (before !== 0 && next === 0) this.#set--;
    return before;
  }
}
