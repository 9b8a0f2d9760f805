/** What changed between two states of an object, as sets of fields. */

import { isObject, sameJson } from "../schema/json-value.ts";
import type { ListSchema, Schema } from "../schema/schema.ts";
import { addedFields } from "./added.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { emptySet, isEmpty, leaf, nodeOf, recursiveDifference } from "./field-set.ts";
import type { Grain, ListPlan } from "./topology.ts";
import { grainAt, listPlan, memberSchema, memberToken, Unidentified } from "./topology.ts";

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
  const change: Change = { added: undefined, modified: undefined, removed: undefined };
  walk(schema, before, after, change);
  return {
    added: change.added ?? emptySet,
    modified: change.modified ?? emptySet,
    removed: change.removed ?? emptySet,
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
export interface Change {
  added: FieldSet | undefined;
  modified: FieldSet | undefined;
  removed: FieldSet | undefined;
}

/** `undefined` is absent; null is a value. Returns whether anything changed. */
export function walk(schema: Schema, before: unknown, after: unknown, change: Change): boolean {
  if (before === after) return false;
  if (before === undefined) {
    change.added = addedFields(schema, after);
    return true;
  }
  const grain = grainOfBoth(schema, before, after);
  if (grain === "whole") return compareWhole(before, after, change);
  const parts = new Parts();
  if (grain === "items")
    visitItems(schema as ListSchema, before, after, parts); // by its grain
  else visitMembers(schema, before, after, parts);
  return conclude({ schema, before, after }, parts, change);
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

/** What the changes of the parts mean for the whole. */
export function conclude({ schema, before, after }: States, parts: Parts, change: Change): boolean {
  // Plain JSON may turn from an object into something else.
  const isOther = schema.type === "json" && isThere(before) && isThere(after) && isObject(before) !== isObject(after);
  if (!parts.isChanged && !isOther && after !== undefined) return false;
  change.added = nodeOf(false, parts.added);
  change.modified = nodeOf(isOther, parts.modified);
  change.removed = nodeOf(after === undefined, parts.removed);
  return true;
}

const isThere = (value: unknown) => value !== undefined && value !== null;

export function compareWhole(before: unknown, after: unknown, change: Change): boolean {
  if (after === undefined) change.removed = leaf;
  else if (sameJson(before, after)) return false;
  else change.modified = leaf;
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

  /** Records what the walk of the part with this token found, and prepares `change` for the next one. */
  take(token: string, change: Change): void {
    this.isChanged = true;
    if (change.added !== undefined) {
      this.added ??= {};
      this.added[token] = change.added;
      change.added = undefined;
    }
    if (change.modified !== undefined) {
      this.modified ??= {};
      this.modified[token] = change.modified;
      change.modified = undefined;
    }
    if (change.removed !== undefined) {
      this.removed ??= {};
      this.removed[token] = change.removed;
      change.removed = undefined;
    }
  }
}

export const noMembers: Readonly<Record<string, unknown>> = Object.freeze({});

function visitMembers(schema: Schema, before: unknown, after: unknown, parts: Parts): void {
  const old = isObject(before) ? before : noMembers;
  const next = isObject(after) ? after : noMembers;
  const change: Change = { added: undefined, modified: undefined, removed: undefined };
  for (const name of Object.keys(old)) {
    const a = old[name];
    const b = Object.hasOwn(next, name) ? next[name] : undefined;
    if (a === b) continue;
    if (walk(memberSchema(schema, name), a, b, change)) parts.take(memberToken(schema, name), change);
  }
  for (const name of Object.keys(next)) {
    if (Object.hasOwn(old, name)) continue;
    if (walk(memberSchema(schema, name), undefined, next[name], change)) parts.take(memberToken(schema, name), change);
  }
}

function visitItems(schema: ListSchema, before: unknown, after: unknown, parts: Parts): void {
  const plan = listPlan(schema);
  if (plan === undefined) return;
  const change: Change = { added: undefined, modified: undefined, removed: undefined };
  const old = indexItems(plan, before);
  const next = indexItems(plan, after);
  for (const [identity, item] of old) {
    const other = next.get(identity);
    if (walk(schema.items, item, other, change)) parts.take(plan.tokenOf(item), change);
  }
  for (const [identity, item] of next) {
    if (old.has(identity)) continue;
    if (walk(schema.items, undefined, item, change)) parts.take(plan.tokenOf(item), change);
  }
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
