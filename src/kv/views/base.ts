/** Entries that several views of a store begin with: in memory once, and never changed. */

import { keyOrder } from "../../base/key-order.ts";
import { emptyTree, type Tree, treeGet, treeRank, treeSet, treeSlice } from "../../base/ordered-tree.ts";
import type { KvEntry } from "../contract.ts";

/** Sorts behind every key: no UTF-8 text contains this byte. */
const behindAll = "\xff";

export class KvBase {
  readonly #entries: Tree<KvEntry>;

  /** The revisions of the entries are at or below those at which views of this base are opened. */
  constructor(entries: Iterable<KvEntry>) {
    let tree: Tree<KvEntry> = emptyTree;
    for (const entry of entries) tree = treeSet(tree, keyOrder(entry.key), entry);
    this.#entries = tree;
  }

  get(key: string): KvEntry | undefined {
    return treeGet(this.#entries, keyOrder(key));
  }

  /** In key order, from `start` on. */
  under(prefix: string, start: string, limit = Number.POSITIVE_INFINITY): readonly KvEntry[] {
    const from = keyOrder(prefix);
    const end = from + behindAll;
    const ordered = keyOrder(start);
    const begin = ordered > from ? ordered : from;
    const count = treeRank(this.#entries, end) - treeRank(this.#entries, begin);
    return count <= 0 ? [] : treeSlice(this.#entries, begin, end, Math.min(limit, count));
  }
}

export const emptyBase = new KvBase([]);
