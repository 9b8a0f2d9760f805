/** What changed between two states of an object, as sets of fields. */

import { deepEqual } from "../patch/json-value.ts";
import { isObject } from "../schema/json-value.ts";
import type { Schema } from "../schema/schema.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { emptySet, isEmpty, leaf, nodeOf, recursiveDifference } from "./field-set.ts";
import { grainAt, listPlan, memberSchema, memberToken, Unidentified } from "./topology.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Compares two states of one object. A part that comes or goes counts with everything in it; a part that is there before
 * and after counts only through what changed in it. Throws Unidentified where items of a list cannot be told apart.
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

/** What changed at one place; undefined: nothing. */
interface Change {
  added: FieldSet | undefined;
  modified: FieldSet | undefined;
  removed: FieldSet | undefined;
}

/** `undefined` is absent; null is a value. */
function walk(schema: Schema, before: unknown, after: unknown, change: Change): void {
  if (before === after) return;
  const grain = grainAt(schema, before, after);
  // Where neither has parts they are told apart as wholes: that keeps null, empty and absent three things.
  if (grain === "whole" || (hasNone(before) && hasNone(after))) {
    compareWhole(before, after, change);
    return;
  }
  const parts = new Parts();
  if (grain === "items") visitItems(schema, before, after, parts);
  else visitMembers(schema, before, after, parts);
  change.added = nodeOf(before === undefined, parts.added);
  // Plain JSON may turn from an object into something else.
  const isOther = schema.type === "json" && isThere(before) && isThere(after) && isObject(before) !== isObject(after);
  change.modified = nodeOf(isOther, parts.modified);
  change.removed = nodeOf(after === undefined, parts.removed);
}

const isThere = (value: unknown) => value !== undefined && value !== null;

function compareWhole(before: unknown, after: unknown, change: Change): void {
  if (before === undefined) change.added = leaf;
  else if (after === undefined) change.removed = leaf;
  else if (!deepEqual(before, after)) change.modified = leaf;
}

function hasNone(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return isEmptyObject(value);
  return true;
}

function isEmptyObject(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** Collects what changed in the parts of one place. */
class Parts {
  #scratch: Change = { added: undefined, modified: undefined, removed: undefined };
  added: FieldSetDraft | undefined;
  modified: FieldSetDraft | undefined;
  removed: FieldSetDraft | undefined;

  /** `token` is asked for only where something changed. */
  visit(schema: Schema, before: unknown, after: unknown, token: () => string): void {
    const change = this.#scratch;
    walk(schema, before, after, change);
    if (change.added !== undefined) {
      this.added ??= {};
      this.added[token()] = change.added;
      change.added = undefined;
    }
    if (change.modified !== undefined) {
      this.modified ??= {};
      this.modified[token()] = change.modified;
      change.modified = undefined;
    }
    if (change.removed !== undefined) {
      this.removed ??= {};
      this.removed[token()] = change.removed;
      change.removed = undefined;
    }
  }
}

const noMembers: Readonly<Record<string, unknown>> = Object.freeze({});

function visitMembers(schema: Schema, before: unknown, after: unknown, parts: Parts): void {
  const old = isObject(before) ? before : noMembers;
  const next = isObject(after) ? after : noMembers;
  const visit = (name: string) => {
    const a = Object.hasOwn(old, name) ? old[name] : undefined;
    const b = Object.hasOwn(next, name) ? next[name] : undefined;
    if (a !== b) parts.visit(memberSchema(schema, name), a, b, () => memberToken(schema, name));
  };
  for (const name of Object.keys(old)) visit(name);
  for (const name of Object.keys(next)) if (!Object.hasOwn(old, name)) visit(name);
}

function visitItems(schema: Schema, before: unknown, after: unknown, parts: Parts): void {
  if (schema.type !== "list") return;
  const old = indexItems(schema, before);
  const next = indexItems(schema, after);
  for (const [token, item] of old) parts.visit(schema.items, item, next.get(token), () => token);
  for (const [token, item] of next) if (!old.has(token)) parts.visit(schema.items, undefined, item, () => token);
}

/** The items of a list by their tokens, in order. */
export function indexItems(schema: Schema & { type: "list" }, list: unknown): ReadonlyMap<string, unknown> {
  const items = new Map<string, unknown>();
  const tokenOf = listPlan(schema);
  if (tokenOf === undefined || !Array.isArray(list)) return items;
  for (const item of list) {
    const token = tokenOf(item);
    if (items.has(token)) throw new Unidentified(`two items have the same ${token.slice(2)}`);
    items.set(token, item);
  }
  return items;
}
