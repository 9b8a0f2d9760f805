/**
 * Computes patches: from one object to another, and from a changed manifest to an object that others have changed too.
 */

import { copy, isJson, isSame, type Json, kindOf, text } from "../json.ts";
import { isExclusive, isSet, mergeKeyOf } from "./keys.ts";

/** Groups whose kinds have merge keys, without their domain. */
const builtInGroups = new Set(
  `admissionregistration apiextensions apiregistration apps authentication authorization autoscaling batch certificates coordination
  discovery events extensions flowcontrol.apiserver networking node policy rbac.authorization scheduling storage internal.apiserver`.split(
    /\s+/,
  ),
);

/** Custom kinds are patched by plain merges, since their lists have no merge keys. */
export function isBuiltIn(group: string): boolean {
  return group === "" || builtInGroups.has(group.replace(/\.(k8s|orch)\.io$/, ""));
}

interface Options {
  readonly ignoresDeletions: boolean;
  readonly ignoresChanges: boolean;
  readonly isStrategic: boolean;
  readonly kind: string;
}

const both = { ignoresDeletions: false, ignoresChanges: false };

/** From `before` to `after`. Empty: they are equal. */
export function twoWayPatch(before: Json, after: Json, isStrategic: boolean): Json {
  return diff(before, after, { ...both, isStrategic, kind: kindOf(after) || kindOf(before) });
}

/**
 * The patch of a client-side apply: all fields of `modified` that differ in `current`, and the removal of fields that
 * were in `original` and are no longer in `modified`. Fields of other writers stay.
 */
export function threeWayPatch(original: Json, modified: Json, current: Json, isStrategic: boolean): Json {
  const kind = kindOf(modified);
  const changes = diff(current, modified, { ignoresDeletions: true, ignoresChanges: false, isStrategic, kind });
  const deletions = diff(original, modified, { ignoresDeletions: false, ignoresChanges: true, isStrategic, kind });
  return combine(stillThere(deletions, current, kind), changes, kind);
}

function diff(before: Json, after: Json, options: Options): Json {
  const patch: Json = {};
  for (const key of Object.keys(after)) {
    const [old, next] = [before[key], after[key]];
    if (!Object.hasOwn(before, key) || old === null || old === undefined) {
      if (!options.ignoresChanges && next !== null && next !== undefined) patch[key] = next;
    } else if (isJson(old) && isJson(next)) {
      const inner = diff(old, next, options);
      if (Object.keys(inner).length === 0) continue;
      patch[key] =
        options.isStrategic && isExclusive(key) && !options.ignoresChanges
          ? { ...inner, $retainKeys: Object.keys(next).sort() }
          : inner;
    } else if (Array.isArray(old) && Array.isArray(next)) diffList(patch, key, old, next, options);
    else if (!isSame(old, next) && !options.ignoresChanges) patch[key] = next;
  }
  if (!options.ignoresDeletions)
    for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  return patch;
}

function diffList(
  patch: Json,
  field: string,
  old: readonly unknown[],
  next: readonly unknown[],
  options: Options,
): void {
  const key = options.isStrategic ? mergeKeyOf(field, options.kind, old, next) : undefined;
  if (key === undefined) {
    if (options.isStrategic && isSet(field)) diffSet(patch, field, old, next, options);
    else if (!options.ignoresChanges && !isSame(old, next)) patch[field] = next;
    return;
  }
  const items: Json[] = [];
  for (const item of next.filter(isJson)) {
    const before = old.filter(isJson).find((one) => text(one, key) === text(item, key));
    if (before === undefined) {
      if (!options.ignoresChanges) items.push(copy(item));
      continue;
    }
    const inner = diff(before, item, options);
    if (Object.keys(inner).length > 0) items.push({ ...inner, [key]: item[key] });
  }
  if (!options.ignoresDeletions)
    for (const item of old.filter(isJson))
      if (!next.filter(isJson).some((one) => text(one, key) === text(item, key)))
        items.push({ $patch: "delete", [key]: item[key] });
  if (items.length === 0) return;
  patch[field] = items;
  if (!options.ignoresChanges)
    patch[`$setElementOrder/${field}`] = next.filter(isJson).map((item) => ({ [key]: item[key] }));
}

function diffSet(
  patch: Json,
  field: string,
  old: readonly unknown[],
  next: readonly unknown[],
  options: Options,
): void {
  const added = next.filter((item) => !old.includes(item));
  const removed = old.filter((item) => !next.includes(item));
  if (added.length > 0 && !options.ignoresChanges) patch[field] = added;
  if (removed.length > 0 && !options.ignoresDeletions) patch[`$deleteFromPrimitiveList/${field}`] = removed;
}

/** Without removals of absent fields, so that a second apply changes nothing. */
function stillThere(deletions: Json, current: Json, kind: string): Json {
  const kept: Json = {};
  for (const [key, value] of Object.entries(deletions)) {
    const field = key.startsWith("$") ? key.slice(key.indexOf("/") + 1) : key;
    const now = current[field];
    if (key.startsWith("$deleteFromPrimitiveList/")) {
      const left = Array.isArray(now) && Array.isArray(value) ? value.filter((item) => now.includes(item)) : [];
      if (left.length > 0) kept[key] = left;
    } else if (value === null) {
      if (now !== undefined) kept[key] = null;
    } else if (isJson(value) && isJson(now)) {
      const inner = stillThere(value, now, kind);
      if (Object.keys(inner).length > 0) kept[key] = inner;
    } else if (Array.isArray(value) && Array.isArray(now)) {
      const items = listStillThere(field, value, now, kind);
      if (items.length > 0) kept[key] = items;
    }
  }
  return kept;
}

function listStillThere(field: string, patch: readonly unknown[], now: readonly unknown[], kind: string): Json[] {
  const key = mergeKeyOf(field, kind, now, patch);
  if (key === undefined) return [];
  return patch.filter(isJson).flatMap((item) => {
    const found = now.filter(isJson).find((one) => text(one, key) === text(item, key));
    if (found === undefined) return [];
    if (item["$patch"] === "delete") return [item];
    const inner = stillThere(item, found, kind);
    return Object.keys(inner).length > 0 ? [{ ...inner, [key]: item[key] }] : [];
  });
}

/** Both patches in one; `second` wins. */
function combine(first: Json, second: Json, kind: string): Json {
  const result = copy(first);
  for (const [key, value] of Object.entries(second)) {
    const before = result[key];
    if (isJson(before) && isJson(value)) result[key] = combine(before, value, kind);
    else if (Array.isArray(before) && Array.isArray(value) && !key.startsWith("$"))
      result[key] = combineLists(key, before, value, kind);
    else result[key] = value;
  }
  return result;
}

function combineLists(field: string, first: readonly unknown[], second: readonly unknown[], kind: string): unknown[] {
  const key = mergeKeyOf(field, kind, first, second);
  if (key === undefined) return [...second];
  const others = first.filter(
    (item) => isJson(item) && !second.filter(isJson).some((one) => text(one, key) === text(item, key)),
  );
  const merged = second.filter(isJson).map((item) => {
    const before = first.filter(isJson).find((one) => text(one, key) === text(item, key));
    return before === undefined ? item : combine(before, item, kind);
  });
  return [...others, ...merged];
}
