/**
 * Whether two JSON values are the same, as update rules see it: an absent and an empty list do not differ, and neither do
 * 1024 and 1Ki where the declaration says that they are quantities. If they must differ, use `sameJson`. An empty
 * map needs no such rule: decoding omits it.
 */

import { areFinals } from "../json/final-facts.ts";
import { compareQuantities, parseQuantity } from "../values/quantity.ts";
import type { Schema } from "./schema.ts";

/** `declared`: what describes both; absent: texts are compared as texts. */
export const sameValue = (a: unknown, b: unknown, declared?: { readonly schema: Schema }): boolean =>
  same(a, b, declared?.schema);

function same(a: unknown, b: unknown, schema: Schema | undefined): boolean {
  if (a === b) return true;
  if (isNothing(a) && isNothing(b)) return true;
  if (schema?.type === "quantity") return sameQuantity(a, b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    const items = schema?.type === "list" ? schema.items : undefined;
    return a.every((item, index) => same(item, b[index], items));
  }
  if (areFinals(a, b)) return false;
  return sameEntries(a as Record<string, unknown>, b as Record<string, unknown>, schema);
}

function sameEntries(a: Record<string, unknown>, b: Record<string, unknown>, schema: Schema | undefined): boolean {
  let shared = 0;
  for (const key of Object.keys(a)) {
    const isShared = Object.hasOwn(b, key);
    if (isShared) shared++;
    const value = a[key];
    const other = isShared ? b[key] : undefined;
    if (value !== other && !same(value, other, memberOf(schema, key))) return false;
  }
  const others = Object.keys(b);
  if (others.length === shared) return true;
  for (const key of others) if (!Object.hasOwn(a, key) && !isNothing(b[key])) return false;
  return true;
}

function memberOf(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.type === "map") return schema.values;
  return schema?.type === "struct" ? schema.fields.get(key)?.schema : undefined;
}

function sameQuantity(a: unknown, b: unknown): boolean {
  const [left, right] = [a, b].map((value) => (typeof value === "string" ? parseQuantity(value) : undefined));
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.length === 0;
}
