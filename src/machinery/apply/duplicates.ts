/**
 * Items of one list that share their identity: two variables of one name. Until 1.28 such a list has no owners and cannot be merged;
 * since 1.29 the items are owned, replaced and removed together.
 *
 *   env: [{ name: "A", value: "1" }, { name: "B" }, { name: "A", value: "2" }]
 *   joined: env: [Duplicates(A: "1", "2"), { name: "B" }], and its fields are env[name=A] and all of env[name=B]
 */

import type { Steps } from "../../base/time-slice.ts";
import { isObject, setOwn } from "../json/json-value.ts";
import { valuesPerStep } from "../json/parts.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { Schema } from "../schema/schema.ts";
import type { Managers } from "./managed.ts";
import { Duplicates, grainAt, listPlan, memberSchema } from "./topology.ts";

/** Whether duplicates are owned together. Where a manager knows another version, the states would have to be converted joined. */
export function ownsDuplicates({ apiVersion, family }: BoundKind, managers: Managers): boolean {
  if (!family.environment.since("1.29")) return false;
  return [...managers.values()].every((manager) => manager.apiVersion === apiVersion);
}

/** The object with the duplicates of each list joined at the place of the first. */
export function* joinDuplicates({ codec }: BoundKind, object: ApiObject): Steps<ApiObject> {
  return (yield* joined(codec.topology, object)) as ApiObject; // of the same shape but for items of lists
}

function* joined(schema: Schema, value: unknown): Steps<unknown> {
  switch (grainAt(schema, value, undefined)) {
    case "whole":
      return value;
    case "items":
      return yield* joinedItems(schema, value);
    case "members":
      return yield* joinedMembers(schema, value);
  }
}

function* joinedItems(schema: Schema, value: unknown): Steps<unknown> {
  const plan = schema.type === "list" ? listPlan(schema) : undefined;
  if (schema.type !== "list" || plan === undefined || !Array.isArray(value)) return value;
  const groups = new Map<string, unknown[]>();
  for (const [at, item] of value.entries()) {
    const identity = plan.identify(item);
    const group = groups.get(identity);
    if (group === undefined) groups.set(identity, [item]);
    else group.push(item);
    if (at % valuesPerStep === 0) yield;
  }
  const items: unknown[] = [];
  for (const group of groups.values())
    items.push(group.length > 1 ? new Duplicates(group) : yield* joined(schema.items, group[0]));
  return items;
}

function* joinedMembers(schema: Schema, value: unknown): Steps<unknown> {
  if (!isObject(value)) return value;
  const members: Record<string, unknown> = {};
  for (const [at, name] of Object.keys(value).entries()) {
    setOwn(members, name, yield* joined(memberSchema(schema, name), value[name]));
    if (at % valuesPerStep === 0) yield;
  }
  return members;
}

/** The object with all items on their own again. */
export const splitDuplicates = (object: ApiObject): ApiObject => split(object) as ApiObject; // of the same shape but for items of lists

function split(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((item) => (item instanceof Duplicates ? item.all : [split(item)]));
  if (!isObject(value)) return value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) setOwn(members, name, split(member));
  return members;
}
