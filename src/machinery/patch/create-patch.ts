/**
 * Computes patches: from one object to another, and from a changed manifest to an object that others have changed too. With a
 * schema the result is a strategic merge patch, without one a merge patch, which replaces lists as a whole.
 */

import { copyJson, isObject, type JsonObject, sameJson } from "../json/json-value.ts";
import type { ListSchema, Schema } from "../schema/schema.ts";
import { strategyOf } from "./strategic-list.ts";

type MaybeSchema = Schema | undefined;

/** Which differences become part of a patch. */
interface Parts {
  readonly changes: boolean;
  readonly deletions: boolean;
}

/** From `before` to `after`. Empty: they are equal. */
export function createPatch(before: JsonObject, after: JsonObject, schema: MaybeSchema): JsonObject {
  return diff(before, after, schema, { changes: true, deletions: true });
}

interface ThreeStates {
  /** What was applied before. */
  readonly original: JsonObject;
  /** What is applied now. */
  readonly modified: JsonObject;
  /** What is on the server. */
  readonly current: JsonObject;
}

/**
 * The patch of a client-side apply: all fields of `modified` that differ in `current`, and the removal of fields that were in
 * `original` and are no longer in `modified`. Fields of other writers stay.
 */
export function createThreeWayPatch({ original, modified, current }: ThreeStates, schema: MaybeSchema): JsonObject {
  const changes = diff(current, modified, schema, { changes: true, deletions: false });
  const deletions = diff(original, modified, schema, { changes: false, deletions: true });
  return combine(ofPresent(deletions, current, schema), changes, schema);
}

function diff(before: JsonObject, after: JsonObject, schema: MaybeSchema, parts: Parts): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(after)) {
    const [old, next] = [before[key], after[key]];
    const member = memberOf(schema, key);
    if (!Object.hasOwn(before, key) || old === null || old === undefined) {
      if (parts.changes && next !== null && next !== undefined) patch[key] = next;
    } else if (isObject(old) && isObject(next)) {
      const inner = diff(old, next, member, parts);
      const isUnion = member?.type === "struct" && retainsKeys(member.patchStrategy);
      if (Object.keys(inner).length > 0) patch[key] = isUnion && parts.changes ? retaining(inner, next) : inner;
    } else if (Array.isArray(old) && Array.isArray(next)) diffList(patch, key, [old, next], member, parts);
    else if (parts.changes && !sameJson(old, next)) patch[key] = next;
  }
  if (parts.deletions) for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  return patch;
}

/** Members that exclude each other: those that the object no longer has are removed, whoever set them. */
function retaining(patch: JsonObject, next: JsonObject): JsonObject {
  return { ...patch, $retainKeys: Object.keys(next).sort() };
}

const retainsKeys = (patchStrategy: string | undefined): boolean =>
  (patchStrategy ?? "").split(",").includes("retainKeys");

function diffList(
  patch: JsonObject,
  field: string,
  [old, next]: readonly [readonly unknown[], readonly unknown[]],
  schema: MaybeSchema,
  parts: Parts,
): void {
  const merged = mergedList(schema);
  if (merged === undefined) {
    if (parts.changes && !sameJson(old, next)) patch[field] = next;
    return;
  }
  const key = merged.patchMergeKey;
  if (key === undefined) {
    const added = next.filter((item) => !old.includes(item));
    const removed = old.filter((item) => !next.includes(item));
    if (added.length > 0 && parts.changes) {
      patch[field] = added;
      patch[`$setElementOrder/${field}`] = next;
    }
    if (removed.length > 0 && parts.deletions) patch[`$deleteFromPrimitiveList/${field}`] = removed;
    return;
  }
  const items: JsonObject[] = [];
  for (const item of next.filter(isObject)) {
    const before = itemLike(old, item, key);
    if (before === undefined) {
      if (parts.changes) items.push(copyJson(item));
      continue;
    }
    const inner = diff(before, item, merged.items, parts);
    if (Object.keys(inner).length === 0) continue;
    const isUnion = retainsKeys(merged.patchStrategy) && parts.changes;
    items.push({ ...(isUnion ? retaining(inner, item) : inner), [key]: item[key] });
  }
  if (parts.deletions)
    for (const item of old.filter(isObject))
      if (itemLike(next, item, key) === undefined) items.push({ $patch: "delete", [key]: item[key] });
  if (items.length === 0) return;
  patch[field] = items;
  if (parts.changes) patch[`$setElementOrder/${field}`] = next.filter(isObject).map((item) => ({ [key]: item[key] }));
}

/** Without removals of absent fields, so that a second apply changes nothing. */
function ofPresent(deletions: JsonObject, current: JsonObject, schema: MaybeSchema): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(deletions)) {
    const field = key.startsWith("$") ? key.slice(key.indexOf("/") + 1) : key;
    const now = current[field];
    const member = memberOf(schema, field);
    if (key.startsWith("$deleteFromPrimitiveList/")) {
      const left = Array.isArray(now) && Array.isArray(value) ? value.filter((item) => now.includes(item)) : [];
      if (left.length > 0) kept[key] = left;
    } else if (value === null) {
      if (now !== undefined) kept[key] = null;
    } else if (isObject(value) && isObject(now)) {
      const inner = ofPresent(value, now, member);
      if (Object.keys(inner).length > 0) kept[key] = inner;
    } else if (Array.isArray(value) && Array.isArray(now)) {
      const items = itemsOfPresent(value, now, mergedList(member));
      if (items.length > 0) kept[key] = items;
    }
  }
  return kept;
}

function itemsOfPresent(
  patch: readonly unknown[],
  now: readonly unknown[],
  schema: ListSchema | undefined,
): JsonObject[] {
  const key = schema?.patchMergeKey;
  if (key === undefined) return [];
  return patch.filter(isObject).flatMap((item) => {
    const found = itemLike(now, item, key);
    if (found === undefined) return [];
    if (item["$patch"] === "delete") return [item];
    const inner = ofPresent(item, found, schema?.items);
    return Object.keys(inner).length > 0 ? [{ ...inner, [key]: item[key] }] : [];
  });
}

/** Both patches in one; `second` wins. */
function combine(first: JsonObject, second: JsonObject, schema: MaybeSchema): JsonObject {
  const result = copyJson(first);
  for (const [key, value] of Object.entries(second)) {
    const before = result[key];
    const member = memberOf(schema, key);
    if (isObject(before) && isObject(value)) result[key] = combine(before, value, member);
    else if (Array.isArray(before) && Array.isArray(value) && !key.startsWith("$"))
      result[key] = combineLists(before, value, mergedList(member));
    else result[key] = value;
  }
  return result;
}

function combineLists(
  first: readonly unknown[],
  second: readonly unknown[],
  schema: ListSchema | undefined,
): readonly unknown[] {
  const key = schema?.patchMergeKey;
  if (key === undefined) return second;
  const others = first.filter((item) => isObject(item) && itemLike(second, item, key) === undefined);
  const merged = second.filter(isObject).map((item) => {
    const before = itemLike(first, item, key);
    return before === undefined ? item : combine(before, item, schema?.items);
  });
  return [...others, ...merged];
}

const itemLike = (items: readonly unknown[], item: JsonObject, key: string): JsonObject | undefined =>
  items.filter(isObject).find((one) => one[key] === item[key]);

function memberOf(schema: MaybeSchema, key: string): MaybeSchema {
  if (schema?.type === "struct") return schema.fields.get(key)?.schema;
  return schema?.type === "map" ? schema.values : undefined;
}

/** Undefined: the list is replaced as a whole. */
function mergedList(schema: MaybeSchema): ListSchema | undefined {
  return schema?.type === "list" && strategyOf(schema.patchStrategy) === "merge" ? schema : undefined;
}
