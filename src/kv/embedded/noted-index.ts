/** Where the changes of each folder of keys are in the history: their revisions, in order, in memory. */

import { folderOf } from "../folder-of.ts";

export class NotedIndex {
  /** As numbers: they take an eighth of the memory, and stay exact for as long as anybody writes. */
  readonly #revisions = new Map<string, number[]>();

  /** In the order of revisions; one that is there already is left out. */
  add(key: string, revision: bigint): void {
    const folder = folderOf(key);
    const known = this.#revisions.get(folder);
    const number = Number(revision);
    if (known === undefined) this.#revisions.set(folder, [number]);
    else if (known.at(-1)! < number) known.push(number);
  }

  /** The newest that are lower than `before`, newest first. */
  down(folder: string, before: bigint, limit: number): bigint[] {
    const known = this.#revisions.get(folder) ?? [];
    const end = firstAtLeast(known, Number(before));
    return known
      .slice(Math.max(0, end - limit), end)
      .toReversed()
      .map(BigInt);
  }

  /** The oldest that are higher than `after`, oldest first. */
  up(folder: string, after: bigint, limit: number): bigint[] {
    const known = this.#revisions.get(folder) ?? [];
    const begin = firstAtLeast(known, Number(after) + 1);
    return known.slice(begin, begin + limit).map(BigInt);
  }

  /** Changes up to the revision are no longer kept. */
  forget(through: bigint): void {
    for (const [folder, known] of this.#revisions) {
      if (known[0]! > through) continue;
      known.splice(0, firstAtLeast(known, Number(through) + 1));
      if (known.length === 0) this.#revisions.delete(folder);
    }
  }
}

function firstAtLeast(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
