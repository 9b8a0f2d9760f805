/** The comparison of two states of an object, in steps: for thousands of fields it takes a while. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import { isSmall, partsPerStep, valuesPerStep } from "../json/parts.ts";
import type { ListSchema, Schema } from "../schema/schema.ts";
import { addedFields, differing, inOrder, sortItems } from "./added.ts";
import {
  type Comparison,
  compareWhole,
  conclude,
  type Difference,
  grainOfBoth,
  indexItems,
  noMembers,
  Parts,
  type States,
  walk,
} from "./compare.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { emptySet, leaf } from "./field-set.ts";
import { fieldToken } from "./token.ts";
import { grainAt, listPlan, memberSchema, memberToken } from "./topology.ts";

/** The result of `compare`. A part of at most `partsMax` parts takes one step. */
export function* compareInSteps(
  schema: Schema,
  before: unknown,
  after: unknown,
  partsMax = partsPerStep,
): Steps<Comparison> {
  const difference: Difference = { added: undefined, modified: undefined, removed: undefined };
  // Not as one value that may be small: most members of an object are the same as before, and need not be counted.
  yield* walkParts({ schema, before, after }, difference, partsMax);
  return {
    added: difference.added ?? emptySet,
    modified: difference.modified ?? emptySet,
    removed: difference.removed ?? emptySet,
  };
}

function* walkInSteps(states: States, difference: Difference, partsMax: number): Steps<boolean> {
  const { schema, before, after } = states;
  if (before === after) return false;
  if (isSmall(before, partsMax) && isSmall(after, partsMax)) return walk(schema, before, after, difference);
  return yield* walkParts(states, difference, partsMax);
}

function* walkParts(states: States, difference: Difference, partsMax: number): Steps<boolean> {
  const { schema, before, after } = states;
  if (before === undefined) {
    difference.added = yield* addedInSteps(schema, after, partsMax);
    return true;
  }
  const grain = grainOfBoth(schema, before, after);
  if (grain === "whole") return compareWhole(before, after, difference);
  const parts = new Parts();
  if (grain === "items") yield* visitItems(states, parts, partsMax);
  else yield* visitMembers(states, parts, partsMax);
  yield;
  return conclude(states, parts, difference);
}

function* visitMembers({ schema, before, after }: States, parts: Parts, partsMax: number): Steps<void> {
  const old = isObject(before) ? before : noMembers;
  const next = isObject(after) ? after : noMembers;
  const difference: Difference = { added: undefined, modified: undefined, removed: undefined };
  let visited = 0;
  for (const name of Object.keys(old)) {
    if (++visited % valuesPerStep === 0) yield;
    const member = Object.hasOwn(next, name) ? next[name] : undefined;
    if (old[name] === member) continue;
    const states = { schema: memberSchema(schema, name), before: old[name], after: member };
    const isChanged = yield* walkInSteps(states, difference, partsMax);
    if (isChanged) parts.take(memberToken(schema, name), difference);
  }
  for (const name of Object.keys(next)) {
    if (++visited % valuesPerStep === 0) yield;
    if (Object.hasOwn(old, name)) continue;
    const states = { schema: memberSchema(schema, name), before: undefined, after: next[name] };
    const isChanged = yield* walkInSteps(states, difference, partsMax);
    if (isChanged) parts.take(memberToken(schema, name), difference);
  }
}

function* visitItems({ schema: list, before, after }: States, parts: Parts, partsMax: number): Steps<void> {
  const schema = list as ListSchema; // by its grain
  const plan = listPlan(schema);
  if (plan === undefined) return;
  const difference: Difference = { added: undefined, modified: undefined, removed: undefined };
  const old = indexItems(plan, before);
  yield;
  const next = indexItems(plan, after);
  let visited = 0;
  for (const [identity, item] of old) {
    const states = { schema: schema.items, before: item, after: next.get(identity) };
    const isChanged = yield* walkInSteps(states, difference, partsMax);
    if (isChanged) parts.take(plan.tokenOf(item), difference);
    if (++visited % valuesPerStep === 0) yield;
  }
  for (const [identity, item] of next) {
    if (old.has(identity)) continue;
    const isChanged = yield* walkInSteps(
      { schema: schema.items, before: undefined, after: item },
      difference,
      partsMax,
    );
    if (isChanged) parts.take(plan.tokenOf(item), difference);
    if (++visited % valuesPerStep === 0) yield;
  }
}

/** The result of `addedFields`. */
function* addedInSteps(schema: Schema, value: unknown, partsMax: number): Steps<FieldSet> {
  switch (grainAt(schema, value, undefined)) {
    case "whole":
      return leaf;
    case "items":
      return Array.isArray(value) ? yield* addedItems(schema as ListSchema, value, partsMax) : leaf; // by its grain
    case "members":
      return isObject(value) ? yield* addedMembers(schema, value, partsMax) : leaf;
  }
}

function* addedItems(schema: ListSchema, items: readonly unknown[], partsMax: number): Steps<FieldSet> {
  const plan = listPlan(schema);
  if (plan === undefined || items.length === 0) return leaf;
  const tokens: string[] = [];
  for (const item of items) {
    tokens.push(plan.tokenOf(item));
    if (tokens.length % valuesPerStep === 0) yield;
  }
  const sorted = sortItems(tokens, items);
  const node: FieldSetDraft = { ".": leaf };
  for (let at = 0; at < tokens.length; at++) {
    const item = sorted[at];
    const token = differing(tokens, at);
    node[token] = isSmall(item, partsMax)
      ? addedFields(schema.items, item)
      : yield* addedInSteps(schema.items, item, partsMax);
    if (at % valuesPerStep === 0) yield;
  }
  return node;
}

function* addedMembers(schema: Schema, value: Readonly<Record<string, unknown>>, partsMax: number): Steps<FieldSet> {
  const node: FieldSetDraft = { ".": leaf };
  const tokens: string[] = [];
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const token = fieldToken(name);
    const inner = memberSchema(schema, name);
    node[token] = isSmall(member, partsMax) ? addedFields(inner, member) : yield* addedInSteps(inner, member, partsMax);
    tokens.push(token);
    if (tokens.length % valuesPerStep === 0) yield;
  }
  return inOrder(node, tokens);
}
