/** How a strategic merge patch merges two lists, and the resulting order of the items. */

import { isObject, type JsonObject } from "../json/json-value.ts";
import type { ListSchema, Schema } from "../schema/schema.ts";
import { StatusError } from "../status/status.ts";

type List = readonly unknown[];
/** Merges two items of a list; the code that merges objects provides it. */
type MergeItems = (schema: Schema, original: JsonObject, change: JsonObject) => JsonObject;

export const unmergeable = (message: string) => new StatusError("Invalid", message, { details: {} });

/**
 * The list after the patch. Items of the patch come in the order of the patch; items that only the original has keep their
 * places relative to the patched ones that it had as well: [c d] merged with [e] gives [e c d], with [d e] gives [c d e].
 */
export function mergeList(
  schema: ListSchema,
  original: List,
  patch: List,
  merge: MergeItems,
  isDeletion = false,
): List {
  if (strategyOf(schema.patchStrategy) !== "merge" && !isDeletion) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  if (itemType(original, patch) !== "object") {
    if (isDeletion) return without(original, patch, identity);
    if ((schema.patchMergeKey ?? "") !== "") throw unmergeable("items of a list with a merge key must be objects");
    return inOrder(unique([...original, ...patch]), patch, original, identity);
  }
  const tokenOf = byKey(schema);
  const { kept, changes, replaced } = directives(original, patch, tokenOf);
  if (replaced) return inOrder(changes, [], changes, tokenOf);
  return inOrder(mergeItems(schema, kept, changes, tokenOf, merge), changes, kept, tokenOf);
}

interface OrderedLists {
  /** undefined: there is none yet. */
  readonly original: List | undefined;
  /** undefined: nothing to change. */
  readonly patch: List | undefined;
  /** What the patch adds if there is no original; undefined: its items without directives. */
  readonly added: List | undefined;
  readonly order: List;
}

/** The list after the patch, with the items that `order` names in that order. */
export function orderList(schema: ListSchema, lists: OrderedLists, merge: MergeItems): List {
  const { original, patch, order } = lists;
  const ofObjects = itemType(original ?? [], patch ?? []) === "object";
  const tokenOf = ofObjects ? byKey(schema) : identity;
  const hasKey = (schema.patchMergeKey ?? "") !== "";
  if (patch !== undefined) checkOrder(patch, order, hasKey ? byKey(schema) : tokenOf);
  let merged = original ?? lists.added ?? (patch ?? []).filter((item) => directiveOf(item) === undefined);
  if (original !== undefined && patch !== undefined) merged = mergeList(schema, original, patch, merge);
  return inOrder(merged, order, original ?? [], tokenOf);
}

/** An item's identity as text. */
type TokenOf = (item: unknown) => string;

function identity(item: unknown): string {
  return `${typeof item} ${String(item)}`;
}

function byKey(schema: ListSchema): TokenOf {
  const key = schema.patchMergeKey;
  return (item) => {
    // Only where items have to be told apart: lists without any can be merged.
    if (key === undefined || key === "") throw unmergeable("a list of objects without a merge key cannot be merged");
    const value = isObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined || value === null || typeof value === "object") {
      throw unmergeable(`every item of the list must have its merge key "${key}"`);
    }
    return identity(value);
  };
}

/** Items of both lists must be of one type, and cannot be lists or null. */
function itemType(original: List, patch: List): string {
  let type: string | undefined;
  for (const list of [original, patch]) {
    for (const item of list) {
      if (item === null || Array.isArray(item)) throw unmergeable("items of a merged list must not be null or lists");
      const one = typeof item === "bigint" ? "number" : typeof item;
      type ??= one;
      if (one !== type) throw unmergeable("all items of a merged list must be of one type");
    }
  }
  return type ?? "object";
}

const directiveOf = (item: unknown) => (isObject(item) && Object.hasOwn(item, "$patch") ? item["$patch"] : undefined);

/** Carries out the $patch elements: returns what is left of the original, and the elements that are not directives. */
function directives(original: List, patch: List, tokenOf: TokenOf) {
  const deleted = new Set<string>();
  const changes: unknown[] = [];
  let replaced = false;
  for (const item of patch) {
    const directive = directiveOf(item);
    if (directive === undefined) changes.push(item);
    else if (directive === "delete") deleted.add(tokenOf(item));
    else if (directive === "replace") replaced = true;
    else throw unmergeable(`$patch in a list element must be "replace" or "delete"`);
  }
  const kept = deleted.size === 0 || replaced ? original : original.filter((item) => !deleted.has(tokenOf(item)));
  return { kept, changes, replaced };
}

/** Each change goes into the first item with its key, or is added; the order is determined later. */
function mergeItems(schema: ListSchema, original: List, changes: List, tokenOf: TokenOf, merge: MergeItems): List {
  const result = [...original];
  const places = firstPlaces(original, tokenOf);
  for (const change of changes) {
    const token = tokenOf(change);
    const place = places.get(token);
    if (place === undefined) {
      places.set(token, result.length);
      result.push(change);
    } else {
      // itemType has checked that all items are objects.
      result[place] = merge(schema.items, result[place] as JsonObject, change as JsonObject);
    }
  }
  return result;
}

function inOrder(list: List, order: List, serverOrder: List, tokenOf: TokenOf): List {
  const orderPlaces = firstPlaces(order, tokenOf);
  const serverPlaces = firstPlaces(serverOrder, tokenOf);
  const tokens = new Map(list.map((item) => [item, tokenOf(item)]));
  const token = (item: unknown) => tokens.get(item)!;
  const place = (item: unknown, places: ReadonlyMap<string, number>) => places.get(token(item)) ?? -1;
  const named = list.filter((item) => orderPlaces.has(token(item)));
  const others = list.filter((item) => !orderPlaces.has(token(item)));
  named.sort((a, b) => place(a, orderPlaces) - place(b, orderPlaces));
  sortOthers(others, (item) => serverPlaces.get(token(item)));

  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const end = place(item, serverPlaces);
    if (end >= 0) while (next < others.length && place(others[next], serverPlaces) < end) result.push(others[next++]);
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** Longer lists are sorted in another way there. */
const insertedItemsMax = 20;

/**
 * Sorts items by their places in place. The reference takes one without a place for less than any other, so that several of them, which an
 * empty order leaves behind, come out backwards.
 */
function sortOthers(items: unknown[], placeOf: (item: unknown) => number | undefined): void {
  if (items.length > insertedItemsMax) {
    items.sort((a, b) => (placeOf(a) ?? -1) - (placeOf(b) ?? -1));
    return;
  }
  const isLess = (a: unknown, b: unknown): boolean => {
    const [one, other] = [placeOf(a), placeOf(b)];
    return one === undefined || other === undefined || one < other;
  };
  for (let end = 1; end < items.length; end++) {
    for (let at = end; at > 0 && isLess(items[at], items[at - 1]); at--)
      [items[at - 1], items[at]] = [items[at], items[at - 1]];
  }
}

/**
 * The order must name the changed items, in the order in which the patch has them. Items to delete need not be named; those with
 * another directive are passed over, but not after the last item that the order names.
 */
function checkOrder(patch: List, order: List, tokenOf: TokenOf): void {
  const changes = patch.filter((item) => directiveOf(item) !== "delete");
  if (order.length === 0) return;
  let at = 0;
  for (const item of order) {
    while (at < changes.length && directiveOf(changes[at]) !== undefined) at++;
    if (at === changes.length) return;
    if (tokenOf(item) === tokenOf(changes[at])) at++;
  }
  if (at < changes.length) throw unmergeable("$setElementOrder must name all items of the patch, in the same order");
}

function firstPlaces(list: List, tokenOf: TokenOf): Map<string, number> {
  const places = new Map<string, number>();
  list.forEach((item, place) => {
    const token = tokenOf(item);
    if (!places.has(token)) places.set(token, place);
  });
  return places;
}

function unique(list: List): List {
  return [...new Map(list.map((item) => [identity(item), item])).values()];
}

function without(list: List, deleted: List, tokenOf: TokenOf): List {
  const tokens = new Set(deleted.map(tokenOf));
  return list.filter((item) => !tokens.has(tokenOf(item)));
}

/** "merge,retainKeys" -> "merge". retainKeys is a hint for clients that create patches. */
export function strategyOf(patchStrategy: string | undefined): string {
  return (patchStrategy ?? "").split(",").filter((word) => word !== "retainKeys")[0] ?? "";
}
