/** Applies a strategic merge patch to an object of a built-in kind, without a request to the server. */

import { copy, isJson, type Json, kindOf, text } from "../json.ts";
import { isSet, mergeKeyOf } from "./keys.ts";

export function strategicMerge(document: Json, patch: Json): Json {
  return mergeObject(copy(document), patch, kindOf(document));
}

function mergeObject(target: Json, patch: Json, kind: string): Json {
  if (patch["$patch"] === "replace") {
    const { $patch: _, ...rest } = patch;
    return copy(rest);
  }
  if (patch["$patch"] === "delete") return {};
  const retained = patch["$retainKeys"];
  if (Array.isArray(retained)) for (const key of Object.keys(target)) if (!retained.includes(key)) delete target[key];
  for (const [key, value] of Object.entries(patch)) {
    if (key === "$retainKeys" || key.startsWith("$setElementOrder/")) continue;
    if (key.startsWith("$deleteFromPrimitiveList/")) {
      const field = key.slice(key.indexOf("/") + 1);
      const removed = Array.isArray(value) ? value : [];
      if (Array.isArray(target[field])) target[field] = target[field].filter((item) => !removed.includes(item));
    } else if (value === null) delete target[key];
    else if (isJson(value)) {
      const before = target[key];
      target[key] = mergeObject(isJson(before) ? before : {}, value, kind);
    } else if (Array.isArray(value)) target[key] = mergeList(key, target[key], value, kind);
    else target[key] = value;
  }
  for (const [key, order] of Object.entries(patch))
    if (key.startsWith("$setElementOrder/")) reorder(target, key.slice(key.indexOf("/") + 1), order, kind);
  return target;
}

function mergeList(field: string, before: unknown, patch: readonly unknown[], kind: string): unknown {
  const isReplaced = patch.some((item) => isJson(item) && item["$patch"] === "replace");
  const items = patch.filter(
    (item) => !(isJson(item) && item["$patch"] === "replace" && Object.keys(item).length === 1),
  );
  const current = Array.isArray(before) && !isReplaced ? [...before] : [];
  const key = mergeKeyOf(field, kind, before, patch);
  if (key === undefined) {
    if (!isSet(field)) return copy(items);
    return [...current, ...items.filter((item) => !current.includes(item))];
  }
  const added: unknown[] = [];
  for (const item of items.filter(isJson)) {
    const at = current.findIndex((one) => isJson(one) && text(one, key) === text(item, key));
    if (item["$patch"] === "delete") {
      if (at >= 0) current.splice(at, 1);
    } else if (at >= 0) {
      const one = current[at];
      current[at] = mergeObject(isJson(one) ? one : {}, item, kind);
    } else added.push(mergeObject({}, item, kind));
  }
  return [...current, ...added];
}

function reorder(target: Json, field: string, order: unknown, kind: string): void {
  const items = target[field];
  if (!Array.isArray(items) || !Array.isArray(order)) return;
  const key = mergeKeyOf(field, kind, items, order);
  const rank = (item: unknown) => {
    const at = order.findIndex((one) =>
      key === undefined ? one === item : isJson(one) && isJson(item) && text(one, key) === text(item, key),
    );
    return at < 0 ? order.length : at;
  };
  target[field] = items
    .map((item, at) => ({ item, at }))
    .sort((a, b) => rank(a.item) - rank(b.item) || a.at - b.at)
    .map(({ item }) => item);
}
