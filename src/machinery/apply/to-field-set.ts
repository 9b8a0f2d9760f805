/** The fields that a value sets, as apply sees them. */

import { isObject } from "../schema/json-value.ts";
import type { Schema } from "../schema/schema.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { emptySet, leaf, nodeOf } from "./field-set.ts";
import { grainAt, isDeclared, listPlan, memberSchema, memberToken } from "./topology.ts";

/**
 * The set of an object. What is owned whole is one field; items of lists and members of maps are fields with all that is
 * in them; a declared member counts itself only where there is nothing in it: { labels: { a: "1" } } sets labels.a,
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
  for (const item of value) draft[plan.tokenOf(item)] = fieldsIn(schema.items, item, true) ?? leaf;
  return draft;
}

function memberFields(schema: Schema, value: unknown): FieldSetDraft | undefined {
  if (!isObject(value)) return undefined;
  const draft: FieldSetDraft = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    const self = !isDeclared(schema, name) || member === null || isEmptyObject(member);
    const fields = fieldsIn(memberSchema(schema, name), member, self);
    if (fields !== undefined) draft[memberToken(schema, name)] = fields;
  }
  return draft;
}

function isEmptyObject(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const _ in value) return false;
  return true;
}
