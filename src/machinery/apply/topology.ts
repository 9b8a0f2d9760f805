/** What the schema says about ownership: which parts are owned whole, and what identifies the items of a list. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { isObject } from "../json/json-value.ts";
import { listTopology } from "../schema/list-topology.ts";
import type { Field, ListSchema, Schema, StructSchema } from "../schema/schema.ts";
import { canonicalJson, fieldToken, keyToken, sortTokens, valueToken } from "./token.ts";

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
  if (schema.type === "struct") return schema.fields.get(name)?.schema ?? schema.open ?? untyped;
  return schema.type === "map" ? schema.values : untyped;
}

/** The token of a member; those of structs are made once. */
export function memberToken(schema: Schema, name: string): string {
  if (schema.type !== "struct" || isWide(schema)) return fieldToken(name);
  return membersOf(schema).byName.get(name)?.token ?? fieldToken(name);
}

/** The schema one step further; undefined: the step leads out of it. */
export function stepSchema(schema: Schema, token: string): Schema | undefined {
  switch (schema.type) {
    case "struct":
      if (isWide(schema)) return token.startsWith("f:") ? memberSchema(schema, token.slice(2)) : undefined;
      return membersOf(schema).schemas.get(token) ?? (token.startsWith("f:") ? (schema.open ?? untyped) : undefined);
    case "map":
      return token.startsWith("f:") ? schema.values : undefined;
    case "json":
      return token.startsWith("f:") ? untyped : undefined;
    case "list":
      return token.startsWith("k:") ? schema.items : undefined;
    default:
      return undefined;
  }
}

/** A declared member of a struct, as field sets name it. */
export interface MemberPlan {
  readonly name: string;
  readonly token: string;
  readonly schema: Schema;
  /** Its position among all members of the struct in the order of printing. */
  readonly rank: number;
  /** Whether it is owned as one field whatever its value. */
  readonly isWhole: boolean;
}

/** Whether a value may be, or have inside, a list whose items are distinguished: a scalar, what is owned whole and plain JSON never do. */
export function mayHaveItems(schema: Schema): boolean {
  switch (schema.type) {
    case "struct":
      return schema.topology !== "atomic";
    case "map":
      return schema.topology !== "atomic" && mayHaveItems(schema.values);
    case "list":
      return listPlan(schema) !== undefined;
    default:
      return false;
  }
}

/** The declared members of a struct that `mayHaveItems`. */
export const membersWithItems = (schema: StructSchema): readonly MemberPlan[] => membersOf(schema).withItems;

/** The declared members of a struct. */
interface Members {
  readonly withItems: readonly MemberPlan[];
  readonly byName: ReadonlyMap<string, MemberPlan>;
  readonly schemas: ReadonlyMap<string, Schema>;
}
const members = new WeakMap<StructSchema, Members>();

/** A struct with this many members or more is treated like a map. */
const wideMembersMin = 1_000;

/**
 * Whether a struct has so many members that nothing is prepared for all of them: a custom kind may declare tens of thousands, of
 * which an object has a few.
 */
export const isWide = ({ fields }: StructSchema): boolean => fields.size >= wideMembersMin;

export function membersOf(schema: StructSchema): Members {
  let made = members.get(schema);
  if (made === undefined) {
    const tokens = sortTokens([...schema.fields.keys()].map(fieldToken));
    const ranks = new Map(tokens.map((token, rank) => [token, rank]));
    const plans = [...schema.fields].map(([name, field]): MemberPlan => {
      const token = fieldToken(name);
      const isWhole = field.schema.type !== "json" && grainOf(field.schema) === "whole";
      return { name, token, schema: field.schema, rank: ranks.get(token) ?? 0, isWhole };
    });
    made = {
      withItems: plans.filter((plan) => mayHaveItems(plan.schema)),
      byName: new Map(plans.map((plan) => [plan.name, plan])),
      schemas: new Map(plans.map((plan) => [plan.token, plan.schema])),
    };
    members.set(schema, made);
  }
  return made;
}

/** Why an item cannot be distinguished from others. */
export class Unidentified extends Error {}

/** How items of a list are distinguished. */
export interface ListPlan {
  /** The members that identify items; undefined: their value does. */
  readonly keys: readonly string[] | undefined;
  /** A text that items of one list share exactly when they are the same item; cheaper than the token. */
  identify(item: unknown): string;
  /** Whether two items have the same identity; cheaper still. */
  isSame(a: unknown, b: unknown): boolean;
  tokenOf(item: unknown): string;
}
const listPlans = new WeakMap<ListSchema, ListPlan | null>();

/** undefined: items are not distinguished, the list is owned whole. */
export function listPlan(schema: ListSchema): ListPlan | undefined {
  let plan = listPlans.get(schema);
  if (plan === undefined) {
    plan = makePlan(schema) ?? null;
    listPlans.set(schema, plan);
  }
  return plan ?? undefined;
}

function makePlan(schema: ListSchema): ListPlan | undefined {
  const { topology, keys = [] } = listTopology(schema);
  if (topology === "atomic") return undefined;
  return topology === "set" ? byValue : byKeys(schema, keys);
}

const byValue: ListPlan = {
  keys: undefined,
  identify: (item) => (typeof item === "string" ? `"${item}` : byValue.tokenOf(item)),
  isSame: (a, b) => scalarIn(a) === scalarIn(b),
  tokenOf: (item) => valueToken(scalarIn(item)),
};

function scalarIn(item: unknown): unknown {
  if (item === null || item === undefined) throw new Unidentified("an item of a set must not be null");
  if (typeof item === "object") throw new Unidentified("an item of a set must be a scalar to have an owner");
  return item;
}

/** How many tokens one list keeps, and of keys of what length. */
const knownKeysMax = 200;
const knownKeyCharsMax = 63;

function byKeys(schema: ListSchema, given: readonly string[]): ListPlan {
  const keys = [...given].sort();
  const fallbacks = keys.map((key) => keyDefault(schema.items, key));
  const keyValue = (item: unknown, i: number): unknown => {
    const key = keys[i] as string; // callers stay within the keys
    if (!isObject(item)) throw new Unidentified(`an item must be an object with ${keys.join(" and ")}`);
    const value = Object.hasOwn(item, key) ? item[key] : fallbacks[i];
    if (value === undefined) throw new Unidentified(`an item lacks its key ${key}`);
    return value;
  };
  const printed = (item: unknown): string =>
    keyToken(
      keys,
      keys.map((_, i) => keyValue(item, i)),
    );
  // Most lists have one key, and the same names repeat: printing them was a tenth of the cost of the managed fields of a create.
  const known = new Map<string, string>();
  return {
    keys,
    identify(item) {
      let text = "";
      for (let i = 0; i < keys.length; i++) {
        const value = keyValue(item, i);
        // Only texts can contain the separator, and their length is part of the text.
        text += typeof value === "string" ? `${value.length}"${value}` : `${canonicalJson(value)} `;
      }
      return text;
    },
    isSame(a, b) {
      for (let i = 0; i < keys.length; i++) {
        const one = keyValue(a, i);
        const other = keyValue(b, i);
        if (one === other) continue;
        if (typeof one === "string" || typeof other === "string") return false;
        if (canonicalJson(one) !== canonicalJson(other)) return false;
      }
      return true;
    },
    tokenOf(item) {
      const only = keys.length === 1 ? keyValue(item, 0) : undefined;
      if (typeof only !== "string" || only.length > knownKeyCharsMax) return printed(item);
      let token = known.get(only);
      if (token === undefined) {
        if (known.size >= knownKeysMax) known.clear();
        token = printed(item);
        known.set(only, token);
      } else if (checksCaches) checkAnswer("tokens of keys", token, printed(item));
      return token;
    },
  };
}

/** The value of a key that an item omits: its default, otherwise the zero value of a required field. */
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
