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
    const before = previous && indexed(name, previous);
    const after = next && indexed(name, next);
    if (before === after) continue;
    let changed = tree;
    if (before !== undefined) changed = treeDelete(changed, indexKey(before, key));
    if (after !== undefined) changed = treeSet(changed, indexKey(after, key), true);
    if (indexes === snapshot.indexes) indexes = new Map(indexes);
    (indexes as Map<IndexName, Tree<true>>).set(name, changed); // a copy of our own since the line above
  }
  return { entries, indexes };
}

export function withIndex(snapshot: Snapshot, name: IndexName): Snapshot {
  const keys: string[] = [];
  treeVisit(snapshot.entries, "", (entry, key) => {
    const value = indexed(name, entry);
    if (value !== undefined) keys.push(indexKey(value, key));
    return true;
  });
  keys.sort();
  const tree = treeFrom<true>(
    keys,
    keys.map(() => true as const),
  );
  return { entries: snapshot.entries, indexes: new Map(snapshot.indexes).set(name, tree) };
}

export function withoutIndex(snapshot: Snapshot, name: IndexName): Snapshot {
  const indexes = new Map(snapshot.indexes);
  indexes.delete(name);
  return { entries: snapshot.entries, indexes };
}

/** How many objects have one of the values; an upper bound where a value contains a NUL. */
export function countIndexed(index: Tree<true>, values: readonly string[]): number {
  let count = 0;
  for (const value of values) {
    const prefix = indexKey(value, "");
    count += treeRank(index, endOf(prefix)) - treeRank(index, prefix);
  }
  return count;
}

/** Visits the ordered paths of the objects that have one of the values, from `from` on, in order, until `visit` returns false. */
export function visitIndexed(
  index: Tree<true>,
  values: readonly string[],
  from: string,
  visit: (key: string) => boolean,
): void {
  const distinct = new Set(values);
  const keys: string[] = [];
  for (const value of distinct) {
    const prefix = indexKey(value, "");
    treeVisit(index, prefix + from, (_, indexed) => {
      if (!indexed.startsWith(prefix)) return false;
      const key = indexed.slice(prefix.length);
      // The paths of one value are in order; those of several must be sorted first.
      return distinct.size === 1 ? visit(key) : keys.push(key) > 0;
    });
  }
  for (const key of keys.sort()) if (!visit(key)) return;
}

/** The texts that begin with `prefix` lie before this one. */
export const endOf = (prefix: string): string => `${prefix}\xff`;

function indexed(name: IndexName, entry: StoredEntry): string | undefined {
  return name.startsWith("label ") ? entry.labels.get(name.slice(6)) : entry.field(name.slice(6));
}

const indexKey = (value: string, key: string): string => behind(keyOrder(value)) + key;
