/** All fields of an added part: itself and everything in it. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { isObject } from "../json/json-value.ts";
import type { ListSchema, Schema, StructSchema } from "../schema/schema.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { leaf } from "./field-set.ts";
import { fieldToken, isSorted, sortTokens } from "./token.ts";
import { grainAt, isWide, listPlan, type MemberPlan, memberSchema, membersOf, Unidentified } from "./topology.ts";

/**
 * What `compare` adds for a part that was not there before. A create consists of nothing else, so this avoids the
 * bookkeeping that two states need: { labels: { a: "1" } } adds labels and labels.a, { emptyDir: {} } adds emptyDir.
 * Throws Unidentified if items of a list cannot be distinguished.
 */
export function addedFields(schema: Schema, value: unknown): FieldSet {
  switch (grainAt(schema, value, undefined)) {
    case "whole":
      return leaf;
    case "items":
      return Array.isArray(value) ? addedItems(schema as ListSchema, value) : leaf; // by its grain
    case "members":
      if (!isObject(value)) return leaf;
      return (schema.type === "struct" ? addedDeclared(schema, value) : undefined) ?? addedMembers(schema, value);
  }
}

function addedItems(schema: ListSchema, items: readonly unknown[]): FieldSet {
  const plan = listPlan(schema);
  if (plan === undefined) return leaf;
  if (items.length === 0) return leaf;
  const tokens = items.map((item) => plan.tokenOf(item));
  const sorted = sortItems(tokens, items);
  const node: FieldSetDraft = { ".": leaf };
  for (let at = 0; at < tokens.length; at++) {
    node[differing(tokens, at)] = addedFields(schema.items, sorted[at]);
  }
  return node;
}

/** The items in the order of their tokens, which are sorted for printing. */
export function sortItems(tokens: string[], items: readonly unknown[]): readonly unknown[] {
  if (isSorted(tokens)) return items;
  const byToken = new Map(tokens.map((token, at) => [token, items[at]]));
  return sortTokens(tokens).map((token) => byToken.get(token));
}

/** The token at a position of a sorted list, which must differ from the one before. */
export function differing(tokens: readonly string[], at: number): string {
  const token = tokens[at] as string; // callers stay within bounds
  if (token === tokens[at - 1]) throw new Unidentified(`two items have the same ${token.slice(2)}`);
  return token;
}

function addedMembers(schema: Schema, value: Readonly<Record<string, unknown>>): FieldSet {
  const node: FieldSetDraft = { ".": leaf };
  const tokens: string[] = [];
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const token = fieldToken(name);
    node[token] = addedFields(memberSchema(schema, name), member);
    tokens.push(token);
  }
  return inOrder(node, tokens);
}

/** The node with its members in the order of printing. */
export function inOrder(node: FieldSet, tokens: string[]): FieldSet {
  if (tokens.length === 0) return leaf;
  if (isSorted(tokens)) return node;
  const sorted: FieldSetDraft = { ".": leaf };
  for (const token of sortTokens(tokens)) sorted[token] = node[token] as FieldSet; // one of its own
  return sorted;
}

/**
 * A struct with only declared members; undefined: it has others, or is wide. The order of members is known in advance, and structs
 * of scalars, such as ports and variables, share their nodes: making and sorting them was half the cost of tracking a create.
 */
function addedDeclared(schema: StructSchema, value: Readonly<Record<string, unknown>>): FieldSet | undefined {
  if (isWide(schema)) return undefined;
  const { byName } = membersOf(schema);
  const found: MemberPlan[] = [];
  let isFlat = byName.size <= flatMembersMax;
  let pattern = 0;
  for (const name of Object.keys(value)) {
    if (value[name] === undefined) continue;
    const plan = byName.get(name);
    if (plan === undefined) return undefined;
    isFlat &&= plan.isWhole;
    pattern |= 1 << plan.rank;
    insert(found, plan);
  }
  if (found.length === 0) return leaf;
  return isFlat ? flatNode(schema, found, pattern) : nodeOfMembers(found, value);
}

/** Keeps the list in the order of ranks. */
function insert(found: MemberPlan[], plan: MemberPlan): void {
  let at = found.length;
  for (; at > 0; at--) {
    const before = found[at - 1] as MemberPlan; // at - 1 is within bounds
    if (before.rank < plan.rank) break;
    found[at] = before;
  }
  found[at] = plan;
}

function nodeOfMembers(found: readonly MemberPlan[], value: Readonly<Record<string, unknown>>): FieldSet {
  const node: FieldSetDraft = { ".": leaf };
  for (const { name, token, schema } of found) node[token] = addedFields(schema, value[name]);
  return node;
}

/** Members of a struct that fit into the bits of a pattern. */
const flatMembersMax = 30;
/** How many nodes one struct shares; further ones are not shared. */
const flatNodesMax = 100;
const flatNodes = new WeakMap<StructSchema, Map<number, FieldSet>>();

/** The node of a struct all of whose members are owned whole. `pattern` has a bit for the rank of each member present. */
function flatNode(schema: StructSchema, found: readonly MemberPlan[], pattern: number): FieldSet {
  const nodes = flatNodes.get(schema) ?? new Map<number, FieldSet>();
  flatNodes.set(schema, nodes);
  const known = nodes.get(pattern);
  if (known !== undefined) {
    if (checksCaches) checkAnswer("flat nodes", known, leavesOf(found));
    return known;
  }
  const node = leavesOf(found);
  if (nodes.size < flatNodesMax) nodes.set(pattern, Object.freeze(node));
  return node;
}

function leavesOf(found: readonly MemberPlan[]): FieldSet {
  const node: FieldSetDraft = { ".": leaf };
  for (const { token } of found) node[token] = leaf;
  return node;
}
