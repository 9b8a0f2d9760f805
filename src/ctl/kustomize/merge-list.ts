/** Merges lists whose items are identified by their members, or by their text. */

import type { MergeSchema } from "./merge-schema.ts";
import { isMembers, isNull, type Members, put, textOf, type YamlValue } from "./value.ts";
import { integerOf } from "./yaml-scalars.ts";

type Merge = (
  target: YamlValue | undefined,
  patch: YamlValue | undefined,
  schema: MergeSchema | undefined,
) => YamlValue | undefined;

/** The key of items of a set. */
const ownText = "";

/** Changes `target`. Items of the patch come first, in its order, and those that only the target has after them. */
export function mergeItems(
  target: YamlValue[],
  patch: YamlValue[] | undefined,
  schema: MergeSchema,
  mergeKeys: readonly string[],
  merge: Merge,
): YamlValue[] {
  const keys = mergeKeys.length === 0 ? [ownText] : mergeKeys;
  const identities = distinct([...(patch ?? []), ...target].map((item) => keys.map((key) => keyText(item, key))));
  if (keys.length > 1) completeEach(identities);
  const used = keys.filter((_, at) => identities.some((identity) => identity[at] !== ""));
  const usedKeys = used.length === 0 ? keys : used;
  const positions = usedKeys.map((key) => keys.indexOf(key));
  const items = schema.items();
  let kept = target;
  const merged: YamlValue[] = [];
  for (const identity of identities) {
    const values = positions.map((at) => identity[at] ?? "");
    const result = merge(find(kept, usedKeys, values), find(patch ?? [], usedKeys, values), items);
    if (result === undefined || isNull(result) || isEmpty(result)) kept = without(kept, usedKeys, values);
    else {
      addKeys(result, usedKeys, values);
      setItem(merged, result, usedKeys, values);
    }
  }
  if (identities.length === 0) return kept;
  for (const item of kept) addKept(merged, item, usedKeys);
  return merged;
}

/** An item always says by what it is identified. */
function addKeys(item: YamlValue, keys: readonly string[], values: readonly string[]): void {
  if (isMembers(item))
    for (const [at, key] of keys.entries())
      if (!Object.hasOwn(item, key) && values[at]) put(item, key, integerOf(values[at]) ?? values[at]);
}

const isEmpty = (value: YamlValue): boolean => isMembers(value) && Object.keys(value).length === 0;

function keyText(item: YamlValue, key: string): string {
  if (key === ownText) return textOf(item);
  const member = memberOf(item, key);
  return member === undefined || isNull(member) ? "" : textOf(member);
}

const memberOf = (item: YamlValue, key: string): YamlValue | undefined =>
  isMembers(item) && Object.hasOwn(item, key) ? item[key] : undefined;

function distinct(identities: readonly string[][]): string[][] {
  const seen = new Map<string, string[]>();
  for (const identity of identities) {
    const key = JSON.stringify(identity);
    if (!seen.has(key)) seen.set(key, identity);
  }
  return [...seen.values()];
}

/** An item without one of its keys is the one that has it: a port without protocol, and the same port with TCP. */
function completeEach(identities: string[][]): void {
  for (let one = 0; one < identities.length; one++)
    for (let other = 0; other < identities.length; other++) {
      const both = completed(identities[one] ?? [], identities[other] ?? []);
      if (both === undefined) continue;
      identities[one] = both;
      identities[other] = both;
    }
}

/** Undefined: they are different items. */
function completed(one: readonly string[], other: readonly string[]): string[] | undefined {
  const hasCommon = one.some((text, at) => text === other[at]);
  const isContrary = one.some((text, at) => text !== other[at] && text !== "" && other[at] !== "");
  return hasCommon && !isContrary ? one.map((text, at) => text || (other[at] ?? "")) : undefined;
}

/** The first item with these values; keys without a value do not count, unless none has one. */
function find(items: readonly YamlValue[], keys: readonly string[], values: readonly string[]): YamlValue | undefined {
  const some = keys.map((key, at) => ({ key, value: values[at] ?? "" })).filter(({ value }) => value !== "");
  const wanted = some.length > 0 ? some : keys.map((key) => ({ key, value: "" }));
  if (keys[0] === ownText) return items.find((item) => textOf(item) === (wanted[0]?.value ?? ""));
  return items.find(
    (item) =>
      isMembers(item) &&
      wanted.every(({ key, value }) => {
        const member = memberOf(item, key);
        return member !== undefined && textOf(member) === value;
      }),
  );
}

/** Whether the item has all keys; a given value that is not "" must be its own. `values` may be shorter than `keys`. */
function isItem(item: YamlValue, keys: readonly string[], values: readonly string[]): boolean {
  if (keys[0] === ownText) return !isMembers(item) && textOf(item) === values[0];
  return keys.every((key, at) => {
    const wanted = values[at];
    if (wanted === undefined) return true;
    const member = memberOf(item, key);
    return member !== undefined && (wanted === "" || textOf(member) === wanted);
  });
}

const isValid = (item: YamlValue): boolean => !isNull(item) && !isEmpty(item);

function without(items: readonly YamlValue[], keys: readonly string[], values: readonly string[]): YamlValue[] {
  return items.filter((item) => isValid(item) && !isItem(item, keys, values));
}

/** Replaces the items with these values, or appends it. */
function setItem(items: YamlValue[], item: YamlValue, keys: readonly string[], values: readonly string[]): void {
  let isFound = false;
  for (let at = 0; at < items.length; at++) {
    if (!isItem(items[at] ?? null, keys, values)) continue;
    items[at] = item;
    isFound = true;
  }
  if (!isFound) items.push(item);
}

/** An item without one of several keys takes the place of those that have the others; kustomize has always done so. */
function addKept(merged: YamlValue[], item: YamlValue, keys: readonly string[]): void {
  if (keys[0] === ownText) {
    setItem(merged, item, keys, [textOf(item)]);
    return;
  }
  const own = isMembers(item) ? item : ({} satisfies Members);
  const given = keys.filter((key) => Object.hasOwn(own, key)).map((key) => textOf(own[key]));
  if (given.length === 0) {
    merged.splice(0, Infinity, item);
    return;
  }
  for (const key of keys) if (!Object.hasOwn(own, key)) merged.push(item);
  if (keys.length > 1) merged.splice(0, Infinity, ...without(merged, keys, given));
  setItem(merged, item, keys, given);
}
