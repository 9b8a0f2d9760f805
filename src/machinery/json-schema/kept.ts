/** What of a value is as it was before, by a schema: such parts need not follow the schema if they did not before. */

import { isObject, sameJson } from "../json/json-value.ts";
import type { SchemaPlan } from "./plan.ts";

/** A value before, and the schema that says which of its parts can be found again. */
export interface Before {
  readonly value: unknown;
  readonly plan: SchemaPlan;
}

/**
 * Whether a value is as it was. Items of a list with keys may have another order. An object with a member that the schema does not
 * describe counts as changed, so a whole object always does: nothing describes the members of its metadata.
 */
export function isKept(value: unknown, before: Before | undefined): boolean {
  if (before === undefined) return false;
  const { plan, value: old } = before;
  if (Array.isArray(value) && Array.isArray(old)) {
    if (value.length !== old.length) return false;
    if (!hasKeys(plan)) return sameJson(value, old);
    const itemBefore = itemsBefore(before);
    return value.every((item) => isKept(item, itemBefore(item)));
  }
  if (!isObject(value) || !isObject(old)) return sameJson(value, old);
  const names = Object.keys(value);
  return names.length === Object.keys(old).length && names.every((name) => isKept(value[name], member(before, name)));
}

/** A request says of which version an object is, so that is never as it was. */
export const memberBefore = (before: Before | undefined, name: string, path: string): Before | undefined =>
  path === "" && (name === "apiVersion" || name === "kind") ? undefined : member(before, name);

function member(before: Before | undefined, name: string): Before | undefined {
  if (before === undefined || !isObject(before.value) || !Object.hasOwn(before.value, name)) return undefined;
  const plan = before.plan.property(name) ?? before.plan.additional;
  return plan && { value: before.value[name], plan };
}

const nothingBefore = (): undefined => undefined;

/** The first item of the list before that has the same keys. Items of other lists cannot be found again. */
export function itemsBefore(before: Before | undefined): (item: unknown) => Before | undefined {
  if (before === undefined || !hasKeys(before.plan) || !Array.isArray(before.value)) return nothingBefore;
  const { items, listMapKeys } = before.plan;
  if (items === undefined) return nothingBefore;
  const known = byKeys(before.value, listMapKeys);
  return (item) => {
    const value = known.get(keyOf(item, listMapKeys));
    return value === undefined ? undefined : { value, plan: items };
  };
}

/** Of items with the same keys, the first. */
export function byKeys(list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string | undefined, unknown> {
  const known = new Map<string | undefined, unknown>();
  for (const item of list) {
    const key = keyOf(item, keys);
    if (key !== undefined && !known.has(key)) known.set(key, item);
  }
  return known;
}

const hasKeys = ({ listType, listMapKeys }: SchemaPlan): boolean => listType === "map" && listMapKeys.length > 0;

/** Undefined: the item lacks a key, or a key is no scalar. A number and its text are different keys. */
export function keyOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const values = keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null));
  if (values.some((value) => typeof value === "object")) return undefined;
  return JSON.stringify(values.map((value) => [typeof value === "string", String(value)]));
}
