/** Sorts long lists in time slices, so that other requests are served in between. */

import { TimeSlice } from "./time-slice.ts";

/** Items that are sorted in one go: a millisecond or two. */
const runLength = 1_000;

/** A sorted copy. Items that compare as equal stay in their order. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<readonly T[]> {
  const slice = new TimeSlice();
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(compare));
    if (slice.isLong) await slice.next();
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(at + 1 < runs.length ? await merge(runs[at]!, runs[at + 1]!, compare, slice) : runs[at]!);
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (one: T, other: T) => number,
  slice: TimeSlice,
): Promise<readonly T[]> {
  const merged: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    // On equality the left one comes first, which keeps the order.
    merged.push(compare(left[l]!, right[r]!) <= 0 ? left[l++]! : right[r++]!);
    if (slice.isOver) await slice.next();
  }
  while (l < left.length) merged.push(left[l++]!);
  while (r < right.length) merged.push(right[r++]!);
  return merged;
}
