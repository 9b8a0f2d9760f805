/** The fields that a value sets, as apply sees them. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import { isSmall, partsPerStep, valuesPerStep } from "../json/parts.ts";
import type { Schema } from "../schema/schema.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { emptySet, leaf, nodeOf } from "./field-set.ts";
import { grainAt, isDeclared, listPlan, memberSchema, memberToken } from "./topology.ts";

/**
 * The set of an object. A part that is owned whole is one field; items of lists and members of maps are fields with everything
 * in them; a declared member is itself a field only if it is empty: { labels: { a: "1" } } sets labels.a,
 * { emptyDir: {} } sets emptyDir, and { ports: [] } sets nothing.
 */
export function toFieldSet(schema: Schema, value: unknown): FieldSet {
  return fieldsIn(schema, value, false) ?? emptySet;
}

function fieldsIn(schema: Schema, value: unknown, self: boolean): FieldSet | undefined {
  switch (grainAt(schema, value, undefined)) {
    case "whole":
      return leaf;
    case "items":
      return nodeOf(self, itemFields(schema, value));
    case "members":
      return nodeOf(self, memberFields(schema, value));
  }
}

function itemFields(schema: Schema, value: unknown): FieldSetDraft | undefined {
  const plan = schema.type === "list" ? listPlan(schema) : undefined;
  if (schema.type !== "list" || plan === undefined || !Array.isArray(value)) return undefined;
  const draft: FieldSetDraft = {};
  for (const item of value) put(draft, plan.tokenOf(item), fieldsIn(schema.items, item, true));
  return draft;
}

/** Repeated items are one field, without parts. */
function put(draft: FieldSetDraft, token: string, fields: FieldSet | undefined): void {
  draft[token] = draft[token] === undefined ? (fields ?? leaf) : leaf;
}

function memberFields(schema: Schema, value: unknown): FieldSetDraft | undefined {
  if (!isObject(value)) return undefined;
  const draft: FieldSetDraft = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    const fields = fieldsIn(memberSchema(schema, name), member, countsItself(schema, name, member));
    if (fields !== undefined) draft[memberToken(schema, name)] = fields;
  }
  return draft;
}

/** The result of `toFieldSet`, in steps. A value of at most `partsMax` parts takes one step. */
export function* toFieldSetInSteps(schema: Schema, value: unknown, partsMax = partsPerStep): Steps<FieldSet> {
  return (yield* fieldsInSteps(schema, value, false, partsMax)) ?? emptySet;
}

function* fieldsInSteps(schema: Schema, value: unknown, self: boolean, partsMax: number): Steps<FieldSet | undefined> {
  const grain = grainAt(schema, value, undefined);
  if (grain === "whole" || isSmall(value, partsMax)) return fieldsIn(schema, value, self);
  const draft = yield* grain === "items"
    ? itemFieldsInSteps(schema, value, partsMax)
    : memberFieldsInSteps(schema, value, partsMax);
  yield;
  return nodeOf(self, draft);
}

function* itemFieldsInSteps(schema: Schema, value: unknown, partsMax: number): Steps<FieldSetDraft | undefined> {
  const plan = schema.type === "list" ? listPlan(schema) : undefined;
  if (schema.type !== "list" || plan === undefined || !Array.isArray(value)) return undefined;
  const draft: FieldSetDraft = {};
  for (const [at, item] of value.entries()) {
    const fields = isSmall(item, partsMax)
      ? fieldsIn(schema.items, item, true)
      : yield* fieldsInSteps(schema.items, item, true, partsMax);
    put(draft, plan.tokenOf(item), fields);
    if (at % valuesPerStep === 0) yield;
  }
  return draft;
}

function* memberFieldsInSteps(schema: Schema, value: unknown, partsMax: number): Steps<FieldSetDraft | undefined> {
  if (!isObject(value)) return undefined;
  const draft: FieldSetDraft = {};
  for (const [at, name] of Object.keys(value).entries()) {
    const member = value[name];
    const inner = memberSchema(schema, name);
    const fields = isSmall(member, partsMax)
      ? fieldsIn(inner, member, countsItself(schema, name, member))
      : yield* fieldsInSteps(inner, member, countsItself(schema, name, member), partsMax);
    if (fields !== undefined) draft[memberToken(schema, name)] = fields;
    if (at % valuesPerStep === 0) yield;
  }
  return draft;
}

/** Whether a member is itself a field, in addition to its contents. */
function countsItself(schema: Schema, name: string, member: unknown): boolean {
  return !isDeclared(schema, name) || member === null || isEmptyObject(member);
}

function isEmptyObject(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const _ in value) return false;
  return true;
}
