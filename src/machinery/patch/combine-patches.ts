/** Two patches of one document in one. */

import { copyJson, getOwn, isObject, type JsonObject, setOwn } from "../json/json-value.ts";
import type { ListSchema, Schema } from "../schema/schema.ts";
import { mergeList, orderList, strategyOf } from "./strategic-list.ts";

type MaybeSchema = Schema | undefined;

const orderPrefix = "$setElementOrder/";

/** Both, where `second` wins. What they remove stays removed, and the items of lists have the order that `second` says. */
export function combinePatches(first: JsonObject, second: JsonObject, schema: MaybeSchema): JsonObject {
  const result = copyJson(first);
  const done = new Set<string>();
  for (const [key, order] of Object.entries(second)) {
    const field = key.slice(orderPrefix.length);
    const list = mergedList(memberOf(schema, field));
    if (!key.startsWith(orderPrefix) || list === undefined || !Array.isArray(order)) continue;
    result[key] = order;
    const [original, patch] = [listIn(first, field), listIn(second, field)];
    if (original === undefined && patch === undefined) continue;
    result[field] = removalsLast(orderList(list, { original, patch, added: undefined, order }, combinePatchesOfItems));
    done.add(field);
  }
  for (const [key, value] of Object.entries(second)) {
    if (done.has(key)) continue;
    const before = getOwn(first, key);
    const member = memberOf(schema, key);
    const isReplaced = member?.type === "struct" && strategyOf(member.patchStrategy) === "replace";
    const list = mergedList(member);
    if (isObject(before) && isObject(value) && !isReplaced) setOwn(result, key, combinePatches(before, value, member));
    else if (Array.isArray(before) && Array.isArray(value) && list !== undefined)
      setOwn(result, key, removalsLast(mergeList(list, before, value, combinePatchesOfItems)));
    else setOwn(result, key, value);
  }
  return result;
}

const combinePatchesOfItems = (schema: Schema, first: JsonObject, second: JsonObject): JsonObject =>
  combinePatches(first, second, schema);

/** An item may have the key of one that is removed. */
function removalsLast(list: readonly unknown[]): readonly unknown[] {
  const isRemoval = (item: unknown) => isObject(item) && item["$patch"] === "delete";
  return [...list.filter((item) => !isRemoval(item)), ...list.filter(isRemoval)];
}

const listIn = (patch: JsonObject, field: string): readonly unknown[] | undefined => {
  const value = getOwn(patch, field);
  return Array.isArray(value) ? value : undefined;
};

export function memberOf(schema: MaybeSchema, key: string): MaybeSchema {
  if (schema?.type === "struct") return schema.fields.get(key)?.schema;
  return schema?.type === "map" ? schema.values : undefined;
}

/** Undefined: the list is replaced as a whole. */
export function mergedList(schema: MaybeSchema): ListSchema | undefined {
  return schema?.type === "list" && strategyOf(schema.patchStrategy) === "merge" ? schema : undefined;
}
