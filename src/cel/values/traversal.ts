/** What it costs to read a whole value, with all that is in it. */

import { traversalFactor } from "../cost/constants.ts";
import { JsonList } from "./json.ts";
import { Bytes, Dictionary, List, ObjectValue, type Value } from "./values.ts";

/** Texts count their bytes here. */
export function traversalCost(value: Value): number {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * traversalFactor);
  if (value instanceof Bytes) return Math.floor(value.value.length * traversalFactor);
  let cost = 0;
  if (value instanceof List) {
    if (value instanceof JsonList) return traversalOfJson(value);
    for (let at = 0; at < value.size; at++) cost += traversalCost(value.at(at));
    return cost;
  }
  if (value instanceof Dictionary) {
    for (const key of value.keys()) cost += traversalCost(key) + traversalCost(value.get(key)!);
    return cost;
  }
  if (value instanceof ObjectValue && value.isMap) {
    for (const field of value.type.fields.keys())
      if (value.has(field)) cost += traversalCost(field) + traversalCost(value.get(field)!);
    return cost;
  }
  return 1;
}

/** Numbers need not be read: whatever their type, they count as one. */
function traversalOfJson(list: JsonList): number {
  let cost = 0;
  for (let at = 0; at < list.size; at++) {
    const json = list.raw[at];
    cost += typeof json === "number" || typeof json === "boolean" ? 1 : traversalCost(list.at(at));
  }
  return cost;
}
