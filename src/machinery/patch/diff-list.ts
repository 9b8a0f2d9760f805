/** What a strategic merge patch has to say of a list whose items are merged. */

import { copyJson, isObject, type JsonObject, sameJson } from "../json/json-value.ts";
import type { PatchParts } from "./create-patch.ts";
import { unmergeable } from "./strategic-list.ts";

type List = readonly unknown[];

interface ListPatch {
  /** Added and changed items, and directives for removed ones. */
  readonly items: List;
  /** Removed values, of a list of scalars. */
  readonly removed: List;
  /** Of all items after the patch; empty: it needs not be said. */
  readonly order: List;
}

/** From one list of scalars to another. The reference says the order of every list that is not sorted. */
export function diffValues(old: List, next: List, parts: PatchParts): ListPatch {
  const [before, after] = [new Set(old), new Set(next)];
  const items = parts.changes ? next.filter((item) => !before.has(item)) : [];
  const removed = parts.deletions
    ? sorted(
        [...before].filter((item) => !after.has(item)),
        String,
      )
    : [];
  const isOrdered = removed.length > 0 || (parts.changes && !sameJson(sorted(old, String), next));
  return { items, removed, order: isOrdered ? next : [] };
}

/** From one list of objects to another. Items with the same key are told apart by their places, counted from the end. */
export function diffItems(
  old: List,
  next: List,
  key: string,
  parts: PatchParts,
  diffItem: (before: JsonObject, after: JsonObject) => JsonObject,
): ListPatch {
  const keyOf = (item: unknown) => keyValue(item, key);
  const left = grouped(old, keyOf);
  const items: JsonObject[] = [];
  for (const item of next.toReversed()) {
    const value = keyOf(item);
    const before = left.get(String(value))?.pop();
    if (!isObject(item)) continue;
    if (before === undefined) {
      if (parts.changes) items.push(copyJson(item));
      continue;
    }
    const inner = diffItem(before, item);
    if (Object.keys(inner).length > 0) items.push({ ...inner, [key]: value });
  }
  const places = new Map(next.map((item, at) => [keyOf(item), at] as const).toReversed());
  items.sort((a, b) => (places.get(a[key]) ?? 0) - (places.get(b[key]) ?? 0));
  const isSameOrder = old.length === next.length && next.every((item, at) => keyOf(item) === keyOf(old[at]));
  if (parts.deletions)
    for (const item of sorted([...left.values()].flat(), (one) => String(keyOf(one))))
      items.push({ $patch: "delete", [key]: keyOf(item) });
  const isOrdered = items.length > 0 || (parts.changes && !isSameOrder);
  return { items, removed: [], order: isOrdered ? next.map((item) => ({ [key]: keyOf(item) })) : [] };
}

function keyValue(item: unknown, key: string): unknown {
  const value = isObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;
  if (value === undefined) throw unmergeable(`every item of the list must have its merge key "${key}"`);
  return value;
}

function grouped(list: List, keyOf: (item: unknown) => unknown): Map<string, JsonObject[]> {
  const groups = new Map<string, JsonObject[]>();
  for (const item of list) {
    const token = String(keyOf(item));
    if (!groups.has(token)) groups.set(token, []);
    if (isObject(item)) groups.get(token)?.push(item);
  }
  return groups;
}

function sorted<T>(list: readonly T[], textOf: (item: T) => string): T[] {
  return list.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0));
}
