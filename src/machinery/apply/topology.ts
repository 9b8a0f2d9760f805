/** What the schema says about who can own what: which parts are owned whole, and by what the items of a list are known. */

import { isObject } from "../schema/json-value.ts";
import type { Field, ListSchema, Schema, StructSchema } from "../schema/schema.ts";
import { fieldToken, keyToken, valueToken } from "./token.ts";

/** Plain JSON that is owned member by member: what is below a member that no schema describes. */
export const untyped: Schema = { type: "json", form: "value", topology: "granular" };

/** How a value is owned: `whole` as one field, `items` by the items of a list, `members` by the members of an object. */
export type Grain = "whole" | "items" | "members";

export function grainOf(schema: Schema): Grain {
  switch (schema.type) {
    case "struct":
    case "map":
      return schema.topology === "atomic" ? "whole" : "members";
    case "list":
      return listPlan(schema) === undefined ? "whole" : "items";
    case "json":
      return schema.topology === "granular" ? "members" : "whole";
    default:
      return "whole";
  }
}

/** The grain of a value: in plain JSON only objects have members, lists and scalars are owned whole. */
export function grainAt(schema: Schema, a: unknown, b: unknown): Grain {
  if (schema.type === "json" && !isObject(a) && !isObject(b)) return "whole";
  return grainOf(schema);
}

/** Whether `name` is declared for the struct; members of maps and of plain JSON are not. */
export function isDeclared(schema: Schema, name: string): boolean {
  return schema.type === "struct" && schema.fields.has(name);
}

export function memberSchema(schema: Schema, name: string): Schema {
  if (schema.type === "struct") return schema.fields.get(name)?.schema ?? untyped;
  return schema.type === "map" ? schema.values : untyped;
}

/** The token of a member; those of structs are made once. */
export function memberToken(schema: Schema, name: string): string {
  if (schema.type !== "struct") return fieldToken(name);
  let tokens = tokensOf.get(schema);
  if (tokens === undefined) {
    tokens = new Map();
    for (const field of schema.fields.keys()) tokens.set(field, fieldToken(field));
    tokensOf.set(schema, tokens);
  }
  return tokens.get(name) ?? fieldToken(name);
}
const tokensOf = new WeakMap<StructSchema, Map<string, string>>();

/** An item that cannot be told from others: why. */
export class Unidentified extends Error {}

type TokenOf = (item: unknown) => string;
const listPlans = new WeakMap<ListSchema, TokenOf | null>();

/** How items of the list are told apart; undefined: they are not, the list is owned whole. */
export function listPlan(schema: ListSchema): TokenOf | undefined {
  let plan = listPlans.get(schema);
  if (plan === undefined) {
    plan = makePlan(schema) ?? null;
    listPlans.set(schema, plan);
  }
  return plan ?? undefined;
}

function makePlan(schema: ListSchema): TokenOf | undefined {
  const { topology, keys, patchMergeKey } = schema;
  if (topology === "atomic") return undefined;
  if (topology === "set") return setItemToken;
  if (topology === "map") return byKeys(schema, keys ?? []);
  // Without a topology, the way in which a strategic merge patch merges the list stands for one.
  if (!(schema.patchStrategy ?? "").split(",").includes("merge")) return undefined;
  if (patchMergeKey !== undefined && patchMergeKey !== "") return byKeys(schema, [patchMergeKey]);
  return schema.items.type === "struct" || schema.items.type === "map" ? undefined : setItemToken;
}

function setItemToken(item: unknown): string {
  if (item === null || item === undefined) throw new Unidentified("an item of a set must not be null");
  return valueToken(item);
}

function byKeys(schema: ListSchema, given: readonly string[]): TokenOf {
  const keys = [...given].sort();
  const fallbacks = keys.map((key) => keyDefault(schema.items, key));
  return (item) => {
    if (!isObject(item)) throw new Unidentified(`an item must be an object with ${keys.join(" and ")}`);
    const values = keys.map((key, i) => {
      const value = Object.hasOwn(item, key) ? item[key] : fallbacks[i];
      if (value === undefined) throw new Unidentified(`an item lacks its key ${key}`);
      return value;
    });
    return keyToken(keys, values);
  };
}

/** What a key that an item leaves out stands for: its default, else the zero value of a field that is always there. */
function keyDefault(items: Schema, key: string): unknown {
  const field = items.type === "struct" ? items.fields.get(key) : undefined;
  if (field === undefined) return undefined;
  return field.fallback ?? (field.presence === "required" ? zeroOf(field) : undefined);
}

function zeroOf(field: Field): unknown {
  switch (field.schema.type) {
    case "string":
    case "bytes":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "uint32":
    case "double":
      return 0;
    default:
      return undefined;
  }
}
