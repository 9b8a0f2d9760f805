/** Finds the objects of a snapshot that match a selection, at a cost proportional to the matches where possible. */

import { keyOrder } from "../../base/key-order.ts";
import { treeGet, treeRank, treeSlice, treeVisit } from "../../base/ordered-tree.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import type { Term } from "../contract/question.ts";
import type { StoredEntry } from "./entry.ts";
import type { Selection } from "./selection.ts";
import { countIndexed, endOf, find, type Snapshot, visitIndexed } from "./snapshot.ts";

/**
 * Visits what matches from the ordered path `from` on, in key order, until the visitor returns false or the slice ends. Returns
 * where to continue in the next slice; undefined: the walk is complete.
 */
export function walk(
  snapshot: Snapshot,
  selection: Selection,
  from: string,
  visit: (entry: StoredEntry) => boolean,
  slice?: TimeSlice,
): string | undefined {
  const { begin, end } = bounds(selection.namespace);
  const start = from > begin ? from : begin;
  if (selection.path !== undefined) {
    const entry = find(snapshot, selection.path);
    if (entry !== undefined && keyOrder(selection.path) >= start && selection.matches(entry)) visit(entry);
    return undefined;
  }
  let left: string | undefined;
  const isInterrupted = (key: string): boolean => {
    if (slice === undefined || !(selection.hasCondition ? slice.isLong : slice.isOver)) return false;
    left = key;
    return true;
  };
  const term = bestTerm(snapshot, selection);
  if (term === undefined) {
    treeVisit(snapshot.entries, start, (entry, key) => {
      if (key >= end || isInterrupted(key)) return false;
      return selection.restricted && !selection.matches(entry) ? true : visit(entry);
    });
    return left;
  }
  visitIndexed(snapshot.indexes.get(term.index)!, term.values, start, (key) => {
    if (key >= end || isInterrupted(key)) return false;
    const entry = treeGet(snapshot.entries, key);
    return entry === undefined || !selection.matches(entry) || visit(entry);
  });
  return left;
}

/** At most `limit` of what matches from the ordered path `from` on, in key order. */
export function take(snapshot: Snapshot, selection: Selection, from: string, limit: number): StoredEntry[] {
  if (!selection.restricted) {
    const { begin, end } = bounds(selection.namespace);
    return treeSlice(snapshot.entries, from > begin ? from : begin, end, limit);
  }
  const entries: StoredEntry[] = [];
  walk(snapshot, selection, from, (entry) => entries.push(entry) < limit);
  return entries;
}

/** Takes in time slices: a selector of many terms may have to be checked against every object. */
export async function takeInSlices(
  snapshot: Snapshot,
  selection: Selection,
  from: string,
  limit: number,
): Promise<StoredEntry[]> {
  if (!selection.restricted) return take(snapshot, selection, from, limit);
  const entries: StoredEntry[] = [];
  const slice = new TimeSlice();
  for (let start: string | undefined = from; start !== undefined; ) {
    start = walk(snapshot, selection, start, (entry) => entries.push(entry) < limit, slice);
    if (start !== undefined) await slice.next();
  }
  return entries;
}

/** How many objects of the namespace lie from the ordered path `from` on. */
export function countFrom(snapshot: Snapshot, namespace: string, from: string): number {
  const { begin, end } = bounds(namespace);
  return Math.max(0, treeRank(snapshot.entries, end) - treeRank(snapshot.entries, from > begin ? from : begin));
}

function bounds(namespace: string): { begin: string; end: string } {
  if (namespace === "") return { begin: "", end: endOf("") };
  const begin = keyOrder(`${namespace}/`);
  return { begin, end: endOf(begin) };
}

/**
 * The indexed term that the fewest objects match; undefined: there is none, or reading all objects costs less. Objects of other namespaces
 * do not count: who may not see them learns nothing about them from the plan of a question.
 */
export function bestTerm(
  snapshot: Snapshot,
  { terms, namespace }: Pick<Selection, "terms" | "namespace">,
): Term | undefined {
  if (terms.length === 0 || snapshot.indexes.size === 0) return undefined;
  const { begin, end } = bounds(namespace);
  let best: Term | undefined;
  let fewest = countFrom(snapshot, namespace, "") / 4;
  for (const term of terms) {
    const index = snapshot.indexes.get(term.index);
    if (index === undefined) continue;
    const count = countIndexed(index, term.values, begin, end);
    if (count >= fewest) continue;
    fewest = count;
    best = term;
  }
  return best;
}
