/** Adapts a field set to the schema: to declared members, and to a topology that changed since the set was written. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import type { Schema } from "../schema/schema.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { isEmpty, isMember, leaf, nodeOf, stepsOf } from "./field-set.ts";
import { isShared } from "./print-managed.ts";
import { fieldOf } from "./token.ts";
import { grainOf, isDeclared, stepSchema } from "./topology.ts";

/** The set with every declared member added that has something below it in the set. */
export function withDeclaredMembers(schema: Schema | undefined, set: FieldSet): FieldSet {
  return countDeclared(schema, set, false);
}

function countDeclared(schema: Schema | undefined, node: FieldSet, self: boolean): FieldSet {
  if (isEmpty(node) || schema === undefined) return node;
  const draft: FieldSetDraft = {};
  for (const token of stepsOf(node)) {
    const step = node[token] as FieldSet; // stepsOf gives own keys
    const name = fieldOf(token);
    const isCounted = isMember(step) || (name !== undefined && isDeclared(schema, name));
    draft[token] = countDeclared(stepSchema(schema, token), step, isCounted);
  }
  return nodeOf(self, draft) ?? leaf;
}

/**
 * The schema to which a shared set is known to be adapted. Both are frozen, so nothing else decides it. Sets
 * of single objects are not remembered: they are not seen again.
 */
const adaptedTo = new WeakMap<FieldSet, Schema>();

/**
 * The set under the present schema. Parts of something that is owned whole now become the whole. Something that was owned
 * whole and has parts now stays as it is: its owner owns none of its parts, since it is unknown which of them matter to it.
 */
export function reconcile(schema: Schema, set: FieldSet): FieldSet {
  if (adaptedTo.get(set) === schema) {
    if (checksCaches) checkAnswer("adapted sets", set, adapt(schema, set));
    return set;
  }
  const adapted = adapt(schema, set);
  if (adapted === set && isShared(set)) adaptedTo.set(set, schema);
  return adapted;
}

function adapt(schema: Schema | undefined, set: FieldSet): FieldSet {
  // Plain JSON does not show how it was owned before.
  if (schema === undefined || schema.type === "json") return set;
  let draft: FieldSetDraft | undefined;
  for (const token in set) {
    const node = set[token] as FieldSet; // token is one of the set's own
    if (token === "." || isEmpty(node)) continue;
    const next = stepSchema(schema, token);
    const fitted = next !== undefined && grainOf(next) === "whole" && next.type !== "json" ? leaf : adapt(next, node);
    if (fitted === node) continue;
    draft ??= { ...set };
    draft[token] = fitted;
  }
  return draft ?? set;
}
