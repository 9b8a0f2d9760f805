/** Removes fields from an object. */

import { isObject, setOwn } from "../json/json-value.ts";
import type { Schema } from "../schema/schema.ts";
import type { FieldSet } from "./field-set.ts";
import { isEmpty, isMember } from "./field-set.ts";
import { grainAt, listPlan, memberSchema, memberToken } from "./topology.ts";

/**
 * The value without the fields of the set; null: nothing of it is left, or it is owned whole and the set names parts of it.
 * Parts that become empty are removed too, so that no manager keeps owning an emptied map. The argument is not
 * changed.
 */
export function removeItems(schema: Schema, value: unknown, set: FieldSet): unknown {
  if (isEmpty(set)) return value;
  switch (grainAt(schema, value, undefined)) {
    case "whole":
      return typeof value === "object" ? null : value;
    case "items":
      return removeFromList(schema, value, set);
    case "members":
      return removeFromObject(schema, value, set);
  }
}

function removeFromList(schema: Schema, value: unknown, set: FieldSet): unknown {
  const plan = schema.type === "list" ? listPlan(schema) : undefined;
  if (schema.type !== "list" || plan === undefined || !Array.isArray(value)) return null;
  const kept: unknown[] = [];
  for (const item of value) {
    const node = set[plan.tokenOf(item)];
    if (node === undefined) kept.push(item);
    else if (!isMember(node)) kept.push(removeItems(schema.items, item, node) ?? {});
  }
  return kept.length === 0 ? null : kept;
}

function removeFromObject(schema: Schema, value: unknown, set: FieldSet): unknown {
  if (!isObject(value)) return null;
  const kept: Record<string, unknown> = {};
  let isAnyKept = false;
  for (const name of Object.keys(value)) {
    const node = set[memberToken(schema, name)];
    if (node !== undefined && isMember(node)) continue;
    const part = node === undefined ? value[name] : removeItems(memberSchema(schema, name), value[name], node);
    if (part === null && node !== undefined) continue;
    isAnyKept = true;
    setOwn(kept, name, part);
  }
  return isAnyKept ? kept : null;
}
