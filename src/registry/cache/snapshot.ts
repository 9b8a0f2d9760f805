/** All objects of a family at one moment, in key order, with indexes for frequent selectors. Immutable. */

import { keyOrder } from "../../base/key-order.ts";
import {
  emptyTree,
  type Tree,
  treeDelete,
  treeFrom,
  treeGet,
  treeRank,
  treeSet,
  treeVisit,
} from "../../base/ordered-tree.ts";
import { sortInSlices } from "../../base/sort-in-slices.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import type { IndexName } from "../contract/question.ts";
import { behind } from "../keys.ts";
import type { StoredEntry } from "./entry.ts";

/**
 * An index maps `VALUE \0 PATH` to nothing, so a change of an object that keeps its labels does not touch the indexes.
 *
 *     pods a/x {app: web}, b/y {app: db}, b/z {app: web}
 *     index "label app":   db\0b/y   web\0a/x   web\0b/z
 */
export interface Snapshot {
  readonly entries: Tree<StoredEntry>;
  readonly indexes: ReadonlyMap<IndexName, Tree<true>>;
}

export const emptySnapshot: Snapshot = { entries: emptyTree, indexes: new Map() };

export function snapshotOf(entries: readonly StoredEntry[]): Snapshot {
  const keyed = entries.map((entry) => [keyOrder(entry.path), entry] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    entries: treeFrom(
      keyed.map(([key]) => key),
      keyed.map(([, entry]) => entry),
    ),
    indexes: emptySnapshot.indexes,
  };
}

export const find = (snapshot: Snapshot, path: string): StoredEntry | undefined =>
  treeGet(snapshot.entries, keyOrder(path));

/** The snapshot after `previous` became `next` (undefined: absent); going back is the same with the two swapped. */
export function replace(
  snapshot: Snapshot,
  path: string,
  previous: StoredEntry | undefined,
  next: StoredEntry | undefined,
): Snapshot {
  const key = keyOrder(path);
  const entries = next === undefined ? treeDelete(snapshot.entries, key) : treeSet(snapshot.entries, key, next);
  let indexes = snapshot.indexes;
  for (const [name, tree] of snapshot.indexes) {
    const changed = reindexed(tree, name, path, previous, next);
    if (changed === tree) continue;
    if (indexes === snapshot.indexes) indexes = new Map(indexes);
    (indexes as Map<IndexName, Tree<true>>).set(name, changed); // a copy of our own since the line above
  }
  return { entries, indexes };
}

/** One index after the same change. */
export function reindexed(
  tree: Tree<true>,
  name: IndexName,
  path: string,
  previous: StoredEntry | undefined,
  next: StoredEntry | undefined,
): Tree<true> {
  const before = previous && indexed(name, previous);
  const after = next && indexed(name, next);
  if (before === after) return tree;
  const key = keyOrder(path);
  const without = before === undefined ? tree : treeDelete(tree, indexKey(before, key));
  return after === undefined ? without : treeSet(without, indexKey(after, key), true);
}

export function withIndex(snapshot: Snapshot, name: IndexName): Snapshot {
  const keys: string[] = [];
  treeVisit(snapshot.entries, "", (entry, key) => {
    const value = indexed(name, entry);
    if (value !== undefined) keys.push(indexKey(value, key));
    return true;
  });
  return withTree(snapshot, name, treeOf(keys.sort()));
}

/** The same index, made in time slices. */
export async function indexInSlices({ entries }: Snapshot, name: IndexName): Promise<Tree<true>> {
  const keys: string[] = [];
  const slice = new TimeSlice();
  for (let from: string | undefined = ""; from !== undefined; ) {
    let left: string | undefined;
    treeVisit(entries, from, (entry, key) => {
      if (slice.isOver) {
        left = key;
        return false;
      }
      const value = indexed(name, entry);
      if (value !== undefined) keys.push(indexKey(value, key));
      return true;
    });
    from = left;
    if (from !== undefined) await slice.next();
  }
  return treeOf(await sortInSlices(keys, (one, other) => (one < other ? -1 : 1)));
}

export const withTree = ({ entries, indexes }: Snapshot, name: IndexName, tree: Tree<true>): Snapshot => ({
  entries,
  indexes: new Map(indexes).set(name, tree),
});

const treeOf = (keys: readonly string[]): Tree<true> =>
  treeFrom<true>(
    keys,
    keys.map(() => true as const),
  );

export function withoutIndex(snapshot: Snapshot, name: IndexName): Snapshot {
  const indexes = new Map(snapshot.indexes);
  indexes.delete(name);
  return { entries: snapshot.entries, indexes };
}

/** How many objects from the ordered path `begin` to `end` have one of the values; an upper bound where a value contains a NUL. */
export function countIndexed(index: Tree<true>, values: readonly string[], begin = "", end = endOf("")): number {
  let count = 0;
  for (const value of values) {
    const prefix = indexKey(value, "");
    count += treeRank(index, prefix + end) - treeRank(index, prefix + begin);
  }
  return count;
}

/** Paths that are gathered at once, of all values together and at least of each. */
const gatheredMax = 1_000;
const gatheredMin = 8;

/** Visits the ordered paths of the objects that have one of the values, from `from` on, in order, until `visit` returns false. */
export function visitIndexed(
  index: Tree<true>,
  values: readonly string[],
  from: string,
  visit: (key: string) => boolean,
): void {
  const distinct = [...new Set(values)];
  if (distinct.length === 1) {
    visitValue(index, distinct[0]!, from, visit);
    return;
  }
  // The paths of one value are in order; those of several are sorted, a few at a time: a search in time slices begins again in each of them.
  const ofEach = Math.max(gatheredMin, Math.floor(gatheredMax / distinct.length));
  for (let start: string | undefined = from; start !== undefined; ) {
    const keys: string[] = [];
    /** Of paths behind this one, some were not gathered. */
    let last: string | undefined;
    for (const value of distinct) {
      let left = ofEach;
      visitValue(index, value, start, (key) => {
        keys.push(key);
        if (--left > 0) return true;
        if (last === undefined || key < last) last = key;
        return false;
      });
    }
    for (const key of keys.sort()) {
      if (last !== undefined && key > last) break;
      if (!visit(key)) return;
    }
    start = last === undefined ? undefined : behind(last);
  }
}

function visitValue(index: Tree<true>, value: string, from: string, visit: (key: string) => boolean): void {
  const prefix = indexKey(value, "");
  treeVisit(index, prefix + from, (_, indexed) => indexed.startsWith(prefix) && visit(indexed.slice(prefix.length)));
}

/** The texts that begin with `prefix` lie before this one. */
export const endOf = (prefix: string): string => `${prefix}\xff`;

function indexed(name: IndexName, entry: StoredEntry): string | undefined {
  return name.startsWith("label ") ? entry.labels.get(name.slice(6)) : entry.field(name.slice(6));
}

const indexKey = (value: string, key: string): string => behind(keyOrder(value)) + key;
