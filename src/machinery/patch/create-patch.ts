/**
 * Computes patches: from one object to another, and from a changed manifest to an object that others have changed too. With a
 * schema the result is a strategic merge patch, without one a merge patch, which replaces lists as a whole.
 */

import { getOwn, isObject, type JsonObject, sameJson, setOwn } from "../json/json-value.ts";
import type { Schema } from "../schema/schema.ts";
import { combinePatches, memberOf, mergedList } from "./combine-patches.ts";
import { diffItems, diffValues } from "./diff-list.ts";
import { strategyOf } from "./strategic-list.ts";

type MaybeSchema = Schema | undefined;

/** Which differences become part of a patch. */
export interface PatchParts {
  readonly changes: boolean;
  readonly deletions: boolean;
}

const all: PatchParts = { changes: true, deletions: true };

/** From `before` to `after`. Empty: they are equal. */
export function createPatch(before: JsonObject, after: JsonObject, schema: MaybeSchema): JsonObject {
  return diff(before, after, schema, all);
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
  if (schema === undefined) {
    const deletions = onlyNulls(diff(original, modified, undefined, all));
    return combinePatches(deletions, withoutNulls(diff(current, modified, undefined, all)), undefined);
  }
  const changes = diff(current, modified, schema, { changes: true, deletions: false });
  const deletions = diff(original, modified, schema, { changes: false, deletions: true });
  return combinePatches(deletions, changes, schema);
}

function diff(
  before: JsonObject,
  after: JsonObject,
  schema: MaybeSchema,
  parts: PatchParts,
  isUnion = false,
): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(after)) {
    const [old, next] = [getOwn(before, key), after[key]];
    const member = memberOf(schema, key);
    const isReplaced = member?.type === "struct" && strategyOf(member.patchStrategy) === "replace";
    if (isObject(old) && isObject(next) && !isReplaced) {
      const inner = diff(old, next, member, parts, member?.type === "struct" && retainsKeys(member.patchStrategy));
      if (Object.keys(inner).length > 0) setOwn(patch, key, inner);
    } else if (Array.isArray(old) && Array.isArray(next) && mergedList(member) !== undefined)
      diffList(patch, key, [old, next], member, parts);
    // The reference sends an object that is replaced as a whole even where nothing differs.
    else if (parts.changes && next !== undefined && ((isReplaced && isObject(next)) || !sameJson(old, next)))
      setOwn(patch, key, next);
  }
  if (parts.deletions)
    for (const key of Object.keys(before)) if (getOwn(after, key) === undefined) setOwn(patch, key, null);
  return isUnion ? retaining(patch, before, after) : patch;
}

/** Members that exclude each other: those that the object no longer has are removed, whoever set them. */
function retaining(patch: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const kept = membersOf(after);
  const isKept = new Set(Object.keys(after));
  const isChanged = Object.keys(patch).length > 0 || membersOf(before).some((key) => !isKept.has(key));
  return kept.length > 0 && isChanged ? { ...patch, $retainKeys: kept.sort() } : patch;
}

const membersOf = (object: JsonObject): string[] =>
  Object.keys(object).filter((key) => object[key] !== null && object[key] !== undefined);

const retainsKeys = (patchStrategy: string | undefined): boolean =>
  (patchStrategy ?? "").split(",").includes("retainKeys");

function diffList(
  patch: JsonObject,
  field: string,
  [old, next]: readonly [readonly unknown[], readonly unknown[]],
  schema: MaybeSchema,
  parts: PatchParts,
): void {
  const merged = mergedList(schema);
  if (merged === undefined) return;
  if (old.length === 0) {
    if (parts.changes && next.length > 0) patch[field] = next;
    return;
  }
  const isUnion = retainsKeys(merged.patchStrategy);
  const diffItem = (before: JsonObject, after: JsonObject) => diff(before, after, merged.items, parts, isUnion);
  const { items, removed, order } =
    merged.patchMergeKey === undefined
      ? diffValues(old, next, parts)
      : diffItems(old, next, merged.patchMergeKey, parts, diffItem);
  if (items.length > 0) patch[field] = items;
  if (removed.length > 0) patch[`$deleteFromPrimitiveList/${field}`] = removed;
  if (order.length > 0) patch[`$setElementOrder/${field}`] = order;
}

/** Of a merge patch, what removes members. */
function onlyNulls(patch: JsonObject): JsonObject {
  const nulls: JsonObject = {};
  for (const [key, value] of Object.entries(patch)) {
    const inner = isObject(value) ? onlyNulls(value) : value;
    if (value === null || (isObject(inner) && Object.keys(inner).length > 0)) setOwn(nulls, key, inner);
  }
  return nulls;
}

/** Of a merge patch, what sets members. */
function withoutNulls(patch: JsonObject): JsonObject {
  const changes: JsonObject = {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) continue;
    const inner = isObject(value) ? withoutNulls(value) : itemsWithoutNulls(value);
    // An empty object that is given is a value.
    const isEmptied = isObject(value) && Object.keys(inner as object).length < Math.min(1, Object.keys(value).length);
    if (!isEmptied) setOwn(changes, key, inner);
  }
  return changes;
}

/** Objects in lists lose members that are null too, and stay where they have no others. */
function itemsWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(itemsWithoutNulls);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value))
    if (member !== null) setOwn(result, key, itemsWithoutNulls(member));
  return result;
}
