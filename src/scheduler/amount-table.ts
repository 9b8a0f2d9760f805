/**
 * What nodes have and what is used of it, side by side in one array: each decision compares hundreds of nodes, and in objects every number
 * would be somewhere else in memory.
 */

import type { Amounts } from "./resources.ts";

/** Where the numbers of a node are, from its slot on. */
export const [cpuTotal, memoryTotal, podsTotal, cpuUsed, memoryUsed, podsUsed] = [0, 1, 2, 3, 4, 5] as const;
const numbersOfNode = 6;
const nodesAtFirst = 64;

export class AmountTable {
  /** Another array when there are more nodes. */
  numbers = new Float64Array(nodesAtFirst * numbersOfNode);
  readonly #free: number[] = [];
  #end = 0;

  /** The slot of a new node. */
  take(): number {
    const freed = this.#free.pop();
    if (freed !== undefined) return freed;
    const slot = this.#end;
    this.#end += numbersOfNode;
    if (this.#end > this.numbers.length) {
      const longer = new Float64Array(this.numbers.length * 2);
      longer.set(this.numbers);
      this.numbers = longer;
    }
    return slot;
  }

  release(slot: number): void {
    this.#free.push(slot);
  }

  setTotals(slot: number, { cpu, memory, pods }: Amounts): void {
    this.numbers[slot + cpuTotal] = cpu;
    this.numbers[slot + memoryTotal] = memory;
    this.numbers[slot + podsTotal] = pods;
  }

  setUsed(slot: number, { cpu, memory, pods }: Amounts): void {
    this.numbers[slot + cpuUsed] = cpu;
    this.numbers[slot + memoryUsed] = memory;
    this.numbers[slot + podsUsed] = pods;
  }
}
