/** Merges a configuration into an object. */

import { finish, Pace, type Steps } from "../../base/time-slice.ts";
import { isObject, sameJson, setOwn } from "../json/json-value.ts";
import type { ListSchema, Schema } from "../schema/schema.ts";
import { areAligned, indexItems } from "./compare.ts";
import { grainAt, type ListPlan, listPlan, memberSchema } from "./topology.ts";

/**
 * `live` with everything that `applied` sets; undefined is absent. Parts that are owned whole are replaced, objects are merged
 * member by member, and lists item by item. Neither argument is changed, and the result shares parts with both: a part of `live`
 * that stays as it is is that part itself, so that what follows need not look into it.
 */
export function merge(schema: Schema, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  switch (grainAt(schema, live, applied)) {
    case "whole":
      return sameJson(live, applied) ? live : applied;
    case "items":
      return isNone(live) && isNone(applied) ? applied : mergeItems(schema as ListSchema, live, applied); // by its grain
    case "members":
      return isNone(live) && isNone(applied) ? applied : mergeMembers(schema, live, applied);
  }
}

function isNone(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !isObject(value) || Object.keys(value).length === 0;
}

function mergeMembers(schema: Schema, live: unknown, applied: unknown): unknown {
  if (!isObject(applied)) return live;
  const before: Readonly<Record<string, unknown>> = isObject(live) ? live : {};
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(applied)) {
    const current = Object.hasOwn(before, name) ? before[name] : undefined;
    const next = merge(memberSchema(schema, name), current, applied[name]);
    if (next === current) continue;
    result ??= { ...before };
    setOwn(result, name, next);
  }
  return result ?? before;
}

function mergeItems(schema: ListSchema, live: unknown, applied: unknown): unknown {
  const plan = listPlan(schema);
  if (plan === undefined) return applied;
  if (Array.isArray(live) && Array.isArray(applied) && areAligned(plan, live, applied))
    return mergeAligned(schema.items, live, applied);
  const result: unknown[] = [];
  for (const pair of finish(pairItems(plan, live, applied))) result.push(merge(schema.items, pair.live, pair.applied));
  return isList(live, result) ? live : result;
}

/** An item of the live list, of the configuration, or of both; undefined: it is not there. */
interface ItemPair {
  readonly live: unknown;
  readonly applied: unknown;
}

/**
 * Items of both are in the order of the configuration; items that only the live list has stay before the item that they
 * stood before: [b d] with [a d c] gives [b a d c]. An item of the configuration replaces those that the live list repeats.
 */
export function* pairItems(plan: ListPlan, live: unknown, applied: unknown): Steps<readonly ItemPair[]> {
  const items: readonly unknown[] = Array.isArray(live) ? live : [];
  const liveTokens = items.map((item) => plan.identify(item));
  const mine = itemsOnce(liveTokens, items);
  yield;
  const theirs = indexItems(plan, applied);
  const appliedTokens = [...theirs.keys()];
  const shared = appliedTokens.filter((token) => mine.has(token));
  yield;
  const result: ItemPair[] = [];
  const take = (token: string) => result.push({ live: mine.get(token), applied: theirs.get(token) });
  const taken = new Set<string>();
  const pace = new Pace();
  let nextShared = 0;
  let l = 0;
  let a = 0;
  while (l < liveTokens.length || a < appliedTokens.length) {
    if (pace.isDue) yield;
    const liveToken = liveTokens[l];
    const appliedToken = appliedTokens[a];
    if (liveToken !== undefined && liveToken === appliedToken) {
      take(liveToken);
      taken.add(liveToken);
      l++;
      a++;
      nextShared++;
    } else if (
      liveToken !== undefined &&
      theirs.has(liveToken) &&
      (taken.has(liveToken) ||
        appliedToken === undefined ||
        (shared[nextShared] !== undefined && shared[nextShared] !== liveToken))
    ) {
      // The configuration has this item at another position.
      l++;
    } else if (liveToken !== undefined && !theirs.has(liveToken)) {
      result.push({ live: items[l], applied: undefined });
      l++;
    } else if (appliedToken !== undefined) {
      take(appliedToken);
      taken.add(appliedToken);
      a++;
      if (appliedToken === shared[nextShared]) nextShared++;
    }
  }
  return result;
}

/** The result of `mergeItems` for lists of the same items in the same order. */
function mergeAligned(schema: Schema, live: readonly unknown[], applied: readonly unknown[]): unknown {
  let result: unknown[] | undefined;
  for (let at = 0; at < live.length; at++) {
    const next = merge(schema, live[at], applied[at]);
    if (next === live[at]) continue;
    result ??= live.slice();
    result[at] = next;
  }
  return result ?? live;
}

/** Whether the list has these very items. */
export function isList(list: unknown, items: readonly unknown[]): boolean {
  if (!Array.isArray(list) || list.length !== items.length) return false;
  for (let at = 0; at < items.length; at++) if (list[at] !== items[at]) return false;
  return true;
}

/** The items by their identity; those that are repeated have no value that could be merged. */
function itemsOnce(identities: readonly string[], items: readonly unknown[]): ReadonlyMap<string, unknown> {
  const once = new Map<string, unknown>();
  for (const [at, identity] of identities.entries()) once.set(identity, once.has(identity) ? undefined : items[at]);
  return once;
}
