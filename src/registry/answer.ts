/** Answers the question of a list: which objects meet its condition, in which order, and how many they are. */

import { keyOrder } from "../base/key-order.ts";
import { sortInSlices } from "../base/sort-in-slices.ts";
import { run, TimeSlice } from "../base/time-slice.ts";
import { badRequest } from "../machinery/status/status.ts";
import type { StoredEntry } from "./cache/entry.ts";
import type { Selection } from "./cache/selection.ts";
import { find, type Snapshot } from "./cache/snapshot.ts";
import { bestTerm, takeInSlices } from "./cache/walk.ts";
import type { AnsweredQuestion, ListCondition, Order, OrderKey, Question } from "./contract/question.ts";
import { behind } from "./keys.ts";
import { listCostMax } from "./limits.ts";
import type { Listing, Page } from "./read-past.ts";

/** The same for equal questions, whatever else a query has; "": there is none. */
export const textOf = (question: Question | undefined): string =>
  question === undefined
    ? ""
    : JSON.stringify([question.condition?.text ?? "", question.order?.text ?? "", question.isCount === true]);

/** What a condition found so far. */
class Answering implements AnsweredQuestion {
  readonly index: AnsweredQuestion["index"];
  examined = 0;
  matched = 0;
  cost = 0;
  undecided = 0;
  firstUndecided: string | undefined;

  constructor(index: AnsweredQuestion["index"]) {
    this.index = index;
  }
}

export async function answer(snapshot: Snapshot, listing: Listing, question: Question): Promise<Page> {
  const { query, limit, after } = listing;
  const { condition, order, isCount = false } = question;
  const terms = [...listing.selection.terms, ...(condition?.terms ?? [])];
  const selection: Selection = { ...listing.selection, restricted: true, terms };
  const answered = new Answering(bestTerm(snapshot, selection)?.index);
  // Without an order, what was sent before need not be looked at again.
  const from = order !== undefined || after === "" ? "" : behind(keyOrder(after));
  const candidates = await takeInSlices(snapshot, selection, from, Number.POSITIVE_INFINITY);
  // One more than wanted says whether anything follows.
  const enough = order !== undefined || isCount || limit === 0 ? Number.POSITIVE_INFINITY : limit + 1;
  const found = await meeting(candidates, condition, answered, { enough, signal: query.signal });
  if (isCount) return { entries: [], last: undefined, following: found.length, answered };
  if (order === undefined) return cutAfter(found, 0, limit, answered, undefined);
  const sorted = await inOrder(found, order, query.signal);
  const start = after === "" ? 0 : 1 + positionOf(sorted, find(snapshot, after));
  return cutAfter(sorted, start, limit, answered, sorted.length - start - limit);
}

function cutAfter(
  all: readonly StoredEntry[],
  start: number,
  limit: number,
  answered: AnsweredQuestion,
  following: number | undefined,
): Page {
  if (limit === 0 || all.length - start <= limit)
    return { entries: all.slice(start), last: undefined, following: undefined, answered };
  const entries = all.slice(start, start + limit);
  return { entries, last: entries.at(-1)!.path, following, answered };
}

/** Objects that a list has at its revision are in it again. */
function positionOf(sorted: readonly StoredEntry[], last: StoredEntry | undefined): number {
  const at = last === undefined ? -1 : sorted.indexOf(last);
  if (at < 0) throw badRequest("continue is not a valid continue token of this list");
  return at;
}

interface Bounds {
  readonly enough: number;
  readonly signal: AbortSignal | undefined;
}

async function meeting(
  candidates: readonly StoredEntry[],
  condition: ListCondition | undefined,
  answered: Answering,
  { enough, signal }: Bounds,
): Promise<readonly StoredEntry[]> {
  if (condition === undefined) {
    answered.examined = candidates.length;
    answered.matched = candidates.length;
    return candidates.slice(0, enough);
  }
  const met: StoredEntry[] = [];
  const slice = new TimeSlice();
  for (const entry of candidates) {
    const steps = condition.examine(entry, listCostMax - answered.cost);
    const examined = run(steps, slice);
    const finding = examined instanceof Promise ? await examined : examined;
    answered.examined += 1;
    answered.cost += finding.cost;
    if (finding.isTooCostly)
      throw badRequest(
        `where costs more than ${listCostMax} for the objects of this list: ` +
          "make it simpler, or select fewer objects by a namespace, labels or fields",
      );
    if (finding.problem !== undefined) {
      answered.undecided += 1;
      answered.firstUndecided ??= `${entry.path}: ${finding.problem}`;
    }
    if (finding.isMet && met.push(entry) >= enough) break;
    if (slice.isLong) {
      signal?.throwIfAborted();
      await slice.next();
    }
  }
  answered.matched = met.length;
  return met;
}

async function inOrder(
  entries: readonly StoredEntry[],
  order: Order,
  signal: AbortSignal | undefined,
): Promise<readonly StoredEntry[]> {
  const slice = new TimeSlice();
  const keyed: { readonly entry: StoredEntry; readonly key: OrderKey }[] = [];
  for (const entry of entries) {
    const read = run(order.keyOf(entry), slice);
    keyed.push({ entry, key: read instanceof Promise ? await read : read });
    if (slice.isLong) {
      signal?.throwIfAborted();
      await slice.next();
    }
  }
  const sorted = await sortInSlices(keyed, (one, other) => order.compare(one.key, other.key));
  return sorted.map(({ entry }) => entry);
}
