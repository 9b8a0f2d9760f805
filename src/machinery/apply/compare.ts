/** What changed between two states of an object, as sets of fields. */

import { isObject, sameJson } from "../json/json-value.ts";
import type { ListSchema, Schema } from "../schema/schema.ts";
import { addedFields } from "./added.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { emptySet, isEmpty, leaf, nodeOf, recursiveDifference } from "./field-set.ts";
import type { Grain, ListPlan, MemberPlan } from "./topology.ts";
import {
  grainAt,
  isWide,
  listPlan,
  mayHaveItems,
  memberSchema,
  membersWithItems,
  memberToken,
  Unidentified,
} from "./topology.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Compares two states of one object. A part that is added or removed counts with everything in it; a part that exists before
 * and after counts only through what changed in it. Throws Unidentified if items of a list cannot be distinguished.
 */
export function compare(schema: Schema, before: unknown, after: unknown): Comparison {
  const difference: Difference = { added: undefined, modified: undefined, removed: undefined };
  walk(schema, before, after, difference, true);
  return {
    added: difference.added ?? emptySet,
    modified: difference.modified ?? emptySet,
    removed: difference.removed ?? emptySet,
  };
}

export function isSame(comparison: Comparison): boolean {
  return isEmpty(comparison.added) && isEmpty(comparison.modified) && isEmpty(comparison.removed);
}

/** The comparison without what is in the `ignored` fields or below them. */
export function excluding(comparison: Comparison, ignored: FieldSet): Comparison {
  if (isEmpty(ignored)) return comparison;
  return {
    added: recursiveDifference(comparison.added, ignored),
    modified: recursiveDifference(comparison.modified, ignored),
    removed: recursiveDifference(comparison.removed, ignored),
  };
}

/** What changed in one part; undefined: nothing. */
export interface Difference {
  added: FieldSet | undefined;
  modified: FieldSet | undefined;
  removed: FieldSet | undefined;
}

/** `undefined` is absent; null is a value. Returns whether anything changed. */
export function walk(
  schema: Schema,
  before: unknown,
  after: unknown,
  difference: Difference,
  isObjectItself = false,
): boolean {
  if (before === after) return false;
  if (before === undefined) {
    difference.added = addedFields(schema, after);
    return true;
  }
  const grain = grainOfBoth(schema, before, after);
  if (grain === "whole") return compareWhole(before, after, difference);
  const parts = new Parts();
  if (grain === "items")
    visitItems(schema as ListSchema, before, after, parts); // by its grain
  else visitMembers(schema, before, after, parts, isObjectItself);
  return conclude({ schema, before, after }, parts, difference);
}

/** If neither has parts they are compared as wholes: null, empty and absent stay three different values. */
export function grainOfBoth(schema: Schema, before: unknown, after: unknown): Grain {
  const grain = grainAt(schema, before, after);
  return grain !== "whole" && hasNone(before) && hasNone(after) ? "whole" : grain;
}

/** Two states of one part. */
export interface States {
  readonly schema: Schema;
  readonly before: unknown;
  readonly after: unknown;
}

/** Combines the changes of the parts into those of the whole. */
export function conclude({ schema, before, after }: States, parts: Parts, difference: Difference): boolean {
  // Plain JSON may turn from an object into something else.
  const isOther = schema.type === "json" && isThere(before) && isThere(after) && isObject(before) !== isObject(after);
  if (!parts.isChanged && !isOther && after !== undefined) return false;
  difference.added = nodeOf(false, parts.added);
  difference.modified = nodeOf(isOther, parts.modified);
  difference.removed = nodeOf(after === undefined, parts.removed);
  return true;
}

const isThere = (value: unknown) => value !== undefined && value !== null;

export function compareWhole(before: unknown, after: unknown, difference: Difference): boolean {
  if (after === undefined) difference.removed = leaf;
  else if (sameJson(before, after)) return false;
  else difference.modified = leaf;
  return true;
}

function hasNone(value: unknown): boolean {
  if (typeof value !== "object") return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

/** Collects the changes of the parts of one value. */
export class Parts {
  isChanged = false;
  added: FieldSetDraft | undefined;
  modified: FieldSetDraft | undefined;
  removed: FieldSetDraft | undefined;

  /** Records what the walk of the part with this token found, and prepares `difference` for the next one. */
  take(token: string, difference: Difference): void {
    this.isChanged = true;
    if (difference.added !== undefined) {
      this.added ??= {};
      this.added[token] = difference.added;
      difference.added = undefined;
    }
    if (difference.modified !== undefined) {
      this.modified ??= {};
      this.modified[token] = difference.modified;
      difference.modified = undefined;
    }
    if (difference.removed !== undefined) {
      this.removed ??= {};
      this.removed[token] = difference.removed;
      difference.removed = undefined;
    }
  }
}

export const noMembers: Readonly<Record<string, unknown>> = Object.freeze({});

function visitMembers(schema: Schema, before: unknown, after: unknown, parts: Parts, areOfObjectItself: boolean): void {
  const old = isObject(before) ? before : noMembers;
  const next = isObject(after) ? after : noMembers;
  const difference: Difference = { added: undefined, modified: undefined, removed: undefined };
  let added = 0;
  for (const name in next) if (next[name] !== undefined) added++;
  for (const name in old) {
    const a = old[name];
    // Only what differs can be inherited.
    const b = a === next[name] || Object.hasOwn(next, name) ? next[name] : undefined;
    if (b !== undefined) added--;
    if (a === b && !(areOfObjectItself && typeof a === "object")) continue;
    const inner = memberSchema(schema, name);
    if (areOfObjectItself && isUnchanged(inner, a, b)) continue;
    if (walk(inner, a, b, difference)) parts.take(memberToken(schema, name), difference);
  }
  // Most states have the same members, and then none has to be searched for.
  if (added === 0) return;
  for (const name in next) {
    if (Object.hasOwn(old, name)) continue;
    if (walk(memberSchema(schema, name), undefined, next[name], difference))
      parts.take(memberToken(schema, name), difference);
  }
}

/**
 * Whether a member of the object is as it was. Most updates change one member and leave the others, and comparing these as JSON takes a
 * third of the time of a walk along the schema. Throws what the walk would throw.
 */
function isUnchanged(schema: Schema, before: unknown, after: unknown): boolean {
  if (!sameJson(before, after)) return false;
  checkItems(schema, after);
  return true;
}

/** Throws Unidentified if items of a list somewhere inside cannot be distinguished. */
function checkItems(schema: Schema, value: unknown): void {
  if (typeof value !== "object" || value === null || !mayHaveItems(schema)) return;
  if (schema.type === "list") {
    const plan = listPlan(schema);
    if (plan === undefined || !Array.isArray(value)) return;
    checkDistinct(plan, value);
    if (mayHaveItems(schema.items)) for (let at = 0; at < value.length; at++) checkItems(schema.items, value[at]);
    return;
  }
  if (!isObject(value)) return;
  if (schema.type !== "struct" || isWide(schema) || schema.open !== undefined) {
    for (const name in value) checkItems(memberSchema(schema, name), value[name]);
    return;
  }
  const parts = membersWithItems(schema);
  for (let at = 0; at < parts.length; at++) {
    const { name, schema: inner } = parts[at] as MemberPlan; // `at` is within bounds
    checkItems(inner, value[name]);
  }
}

function visitItems(schema: ListSchema, before: unknown, after: unknown, parts: Parts): void {
  const plan = listPlan(schema);
  if (plan === undefined) return;
  const difference: Difference = { added: undefined, modified: undefined, removed: undefined };
  if (Array.isArray(before) && Array.isArray(after) && areAligned(plan, before, after)) {
    for (let at = 0; at < before.length; at++)
      if (walk(schema.items, before[at], after[at], difference)) parts.take(plan.tokenOf(before[at]), difference);
    return;
  }
  const old = indexItems(plan, before);
  const next = indexItems(plan, after);
  for (const [identity, item] of old) {
    const other = next.get(identity);
    if (walk(schema.items, item, other, difference)) parts.take(plan.tokenOf(item), difference);
  }
  for (const [identity, item] of next) {
    if (old.has(identity)) continue;
    if (walk(schema.items, undefined, item, difference)) parts.take(plan.tokenOf(item), difference);
  }
}

/** Lists of more items are indexed: comparing each with each would take longer. */
const alignedItemsMax = 16;

/** Whether both lists have the same items in the same order, all of them different; most have. */
export function areAligned(plan: ListPlan, before: readonly unknown[], after: readonly unknown[]): boolean {
  if (before.length !== after.length || before.length > alignedItemsMax) return false;
  for (let at = 0; at < before.length; at++) {
    if (!plan.isSame(before[at], after[at])) return false;
    for (let other = 0; other < at; other++) if (plan.isSame(before[at], before[other])) return false;
  }
  return true;
}

/** Throws Unidentified if items of the list cannot be distinguished. */
function checkDistinct(plan: ListPlan, items: readonly unknown[]): void {
  if (!areAligned(plan, items, items)) indexItems(plan, items);
}

/** The items of a list by their identity, in order. */
export function indexItems(plan: ListPlan, list: unknown): ReadonlyMap<string, unknown> {
  const items = new Map<string, unknown>();
  if (!Array.isArray(list)) return items;
  for (const item of list) {
    const identity = plan.identify(item);
    if (items.has(identity)) throw new Unidentified(`two items have the same ${plan.tokenOf(item).slice(2)}`);
    items.set(identity, item);
  }
  return items;
}
