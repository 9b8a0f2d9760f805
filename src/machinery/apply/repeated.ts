/**
 * The comparison of objects in whose lists several items are the same by their key or value. Since 1.27 such items have owners:
 * all of them together are one field, without parts.
 */

import type { Steps } from "../../base/time-slice.ts";
import { isObject, sameJson, setOwn } from "../json/json-value.ts";
import type { ListSchema, Schema } from "../schema/schema.ts";
import { addedFields } from "./added.ts";
import { type Comparison, type Difference, noMembers, Parts } from "./compare.ts";
import { compareInSteps } from "./compare-steps.ts";
import { difference, emptySet, type FieldSet, leaf, nodeOf, union } from "./field-set.ts";
import { grainAt, type ListPlan, listPlan, memberSchema, memberToken } from "./topology.ts";

/** The result of `compare`, which refuses repeated items. Throws Unidentified if an item has no key at all. */
export function* compareRepeated(schema: Schema, before: unknown, after: unknown): Steps<Comparison> {
  const repeated = noDifference();
  const rest = setAside(schema, before, after, repeated);
  yield;
  const others = yield* compareInSteps(schema, rest.before, rest.after);
  yield;
  const added = union(others.added, repeated.added ?? emptySet);
  return {
    added,
    modified: union(others.modified, repeated.modified ?? emptySet),
    // A list that repeats an item now still has a field of its name, so nothing is removed.
    removed: difference(union(others.removed, repeated.removed ?? emptySet), added),
  };
}

interface Both {
  readonly before: unknown;
  readonly after: unknown;
}

const noDifference = (): Difference => ({ added: undefined, modified: undefined, removed: undefined });

/** Both states of a part without the items that are repeated in either; `repeated` gets what changed among those. */
function setAside(schema: Schema, before: unknown, after: unknown, repeated: Difference): Both {
  if (before === undefined && after === undefined) return { before, after };
  switch (grainAt(schema, before, after)) {
    case "whole":
      return { before, after };
    case "items":
      return itemsAside(schema as ListSchema, before, after, repeated); // by its grain
    case "members":
      return membersAside(schema, before, after, repeated);
  }
}

function membersAside(schema: Schema, before: unknown, after: unknown, repeated: Difference): Both {
  const old = isObject(before) ? before : noMembers;
  const next = isObject(after) ? after : noMembers;
  const oldRest = { ...old };
  const nextRest = { ...next };
  const parts = new Parts();
  for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
    const found = noDifference();
    const [a, b] = [ownOf(old, name), ownOf(next, name)];
    const rest = setAside(memberSchema(schema, name), a, b, found);
    if (rest.before !== a) setOwn(oldRest, name, rest.before);
    if (rest.after !== b) setOwn(nextRest, name, rest.after);
    take(parts, memberToken(schema, name), found);
  }
  conclude(parts, repeated);
  return { before: isObject(before) ? oldRest : before, after: isObject(after) ? nextRest : after };
}

const ownOf = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

function itemsAside(schema: ListSchema, before: unknown, after: unknown, repeated: Difference): Both {
  const plan = listPlan(schema);
  if (plan === undefined) return { before, after };
  const old = grouped(plan, before);
  const next = grouped(plan, after);
  const oldRest: unknown[] = [];
  const nextRest: unknown[] = [];
  const parts = new Parts();
  for (const identity of new Set([...old.keys(), ...next.keys()])) {
    const mine = old.get(identity) ?? [];
    const theirs = next.get(identity) ?? [];
    const found = noDifference();
    if (mine.length <= 1 && theirs.length <= 1) {
      const rest = setAside(schema.items, mine[0], theirs[0], found);
      if (mine.length > 0) oldRest.push(rest.before);
      if (theirs.length > 0) nextRest.push(rest.after);
    } else compareGroups(schema.items, mine, theirs, found);
    take(parts, plan.tokenOf(mine[0] ?? theirs[0]), found);
  }
  conclude(parts, repeated);
  return { before: restOf(before, oldRest, after), after: restOf(after, nextRest, before) };
}

/** A list of which only repeated items are set aside is not an empty list where the other state has none. */
function restOf(list: unknown, rest: readonly unknown[], other: unknown): unknown {
  if (!Array.isArray(list)) return list;
  return rest.length === 0 && list.length > 0 && other === null ? null : rest;
}

/** The items of a list by their identity, in order. */
function grouped(plan: ListPlan, list: unknown): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of Array.isArray(list) ? list : []) {
    const identity = plan.identify(item);
    const group = groups.get(identity);
    if (group === undefined) groups.set(identity, [item]);
    else group.push(item);
  }
  return groups;
}

/** Items of one identity, several of them in one state or in both. */
function compareGroups(schema: Schema, mine: readonly unknown[], theirs: readonly unknown[], found: Difference): void {
  if (mine.length > 1 && theirs.length > 1) {
    if (!sameJson(mine, theirs)) found.modified = leaf;
  } else if (mine.length > 1) {
    found.removed = leaf;
    if (theirs.length > 0) found.added = fieldsOf(schema, theirs[0]);
  } else {
    found.added = leaf;
    if (mine.length > 0) found.removed = fieldsOf(schema, mine[0]);
  }
}

/** An item with everything in it. */
function fieldsOf(schema: Schema, item: unknown): FieldSet {
  const repeated = noDifference();
  const { after } = setAside(schema, undefined, item, repeated);
  return union(addedFields(schema, after), repeated.added ?? emptySet);
}

function take(parts: Parts, token: string, found: Difference): void {
  if (found.added !== undefined || found.modified !== undefined || found.removed !== undefined)
    parts.take(token, found);
}

function conclude(parts: Parts, repeated: Difference): void {
  if (!parts.isChanged) return;
  repeated.added = nodeOf(false, parts.added);
  repeated.modified = nodeOf(false, parts.modified);
  repeated.removed = nodeOf(false, parts.removed);
}
