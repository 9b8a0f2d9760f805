/** Which ranges nodes have, and which are on their way to a node. */

import type { Node } from "../../api/core/v1/node.ts";
import { keyOf } from "../../client/informer/keys.ts";
import type { Ranges } from "./ranges.ts";

export class Allocations {
  readonly #ranges: readonly Ranges[];
  /** Allocated to a node, but not yet in its observed spec: a write that seemed to fail may have happened. */
  readonly #pending = new Map<string, readonly string[]>();
  /** Nodes for which no range was free. */
  readonly #waiting = new Set<string>();

  constructor(ranges: readonly Ranges[]) {
    this.#ranges = ranges;
  }

  /** One part of each range of the cluster; undefined: one of them is exhausted, and the node waits. */
  allocate(name: string): readonly string[] | undefined {
    const cidrs = this.#pending.get(name) ?? this.#take();
    if (cidrs === undefined) this.#waiting.add(name);
    else this.#pending.set(name, cidrs);
    return cidrs;
  }

  /** A node has these ranges. Returns the names of nodes that can be tried again. */
  observe(node: Node): readonly string[] {
    const cidrs = cidrsOf(node);
    const unused = (this.#pending.get(keyOf(node)) ?? []).filter((cidr) => !cidrs.includes(cidr));
    this.#pending.delete(keyOf(node));
    const freed = this.#giveBack(unused);
    for (const cidr of cidrs) for (const each of this.#ranges) each.occupy(cidr);
    return freed;
  }

  /** A node is gone. Returns the names of nodes that can be tried again. */
  release(node: Node): readonly string[] {
    this.#waiting.delete(keyOf(node));
    const cidrs = [...cidrsOf(node), ...(this.#pending.get(keyOf(node)) ?? [])];
    this.#pending.delete(keyOf(node));
    return this.#giveBack(cidrs);
  }

  #take(): readonly string[] | undefined {
    const taken = this.#ranges.map((each) => each.take());
    const cidrs = taken.filter((cidr) => cidr !== undefined);
    if (cidrs.length === this.#ranges.length) return cidrs;
    for (const cidr of cidrs) for (const each of this.#ranges) each.giveBack(cidr);
    return undefined;
  }

  #giveBack(cidrs: readonly string[]): readonly string[] {
    if (cidrs.length === 0) return [];
    for (const cidr of cidrs) for (const each of this.#ranges) each.giveBack(cidr);
    const names = [...this.#waiting];
    this.#waiting.clear();
    return names;
  }
}

export const cidrsOf = ({ spec }: Node): readonly string[] => spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
