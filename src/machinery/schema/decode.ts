/**
 * From JSON to the form an object has in memory: unknown fields are dropped, types are checked, values are made canonical,
 * and what is absent follows the presence rules of schema.ts.
 *
 * A reader is put together once for each struct. Worked example, for { name: elided string, replicas: required int32,
 * template: elided { labels: elided map }, paths: required list }:
 *
 *   { "name": "", "more": 1 }       ->  { "replicas": 0, "template": {}, "paths": null }
 *   { "template": null, "paths": [] }  ->  the same: null is absent, and an empty list counts as absent
 */

import { finalFacts } from "../json/final-facts.ts";
import { copyJson, isObject, setOwn } from "../json/json-value.ts";
import { badRequest, tooLarge } from "../status/status.ts";
import { DecodeProblem, mismatch, notMap, scalarReader, zeroScalar } from "./decode-scalar.ts";
import { type ReadPresent, vanishesWhenZero, withEmpty, withoutNull, withoutZero } from "./presence.ts";
import type { Field, JsonValueSchema, ListSchema, MapSchema, Schema, StructSchema } from "./schema.ts";

/**
 * Items of all lists and keys of all maps of an object together, a hundred times what large objects have. Each costs more
 * than its bytes: beyond this an object would be validated, owned and printed for a second, often only to be refused as too
 * large for the store. Values without a schema (managed fields, raw JSON) are only copied, and do not count.
 */
export const membersMax = 50_000;
/** Members of the object that is being decoded. */
let members = 0;

/** Throws a badRequest that names the path. `null` and undefined are an empty object. The input is not changed. */
export function decodeObject(schema: StructSchema, value: unknown): Record<string, unknown> {
  return decodeInto({}, schema, value);
}

/** Adds the decoded fields to `target` after its own. Those of `ready`, by name, are decoded already. */
export function decodeInto(
  target: Record<string, unknown>,
  schema: StructSchema,
  value: unknown,
  ready?: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  const plan = planOf(schema);
  members = 0;
  try {
    if (value === null || value === undefined) return readFields(plan, nothing, target);
    if (!isObject(value)) throw mismatch("an object", value);
    return ready === undefined || ready.size === 0
      ? readFields(plan, value, target)
      : readOthers(plan, value, target, ready);
  } catch (error) {
    if (error instanceof DecodeProblem) {
      throw badRequest(error.path === "" ? error.message : `${error.path.replace(/^\./, "")}: ${error.message}`);
    }
    // Stack overflow. Bodies are checked long before; values from other sources must not crash the server either.
    if (error instanceof RangeError) throw badRequest("the object is nested too deeply", error);
    throw error;
  }
}

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/** The value that replaces an absent one; undefined: none. */
type Absent = () => unknown;

interface FieldPlan {
  readonly name: string;
  readonly read: ReadPresent;
  readonly absent: Absent | undefined;
  /** Whether every object inherits the name ("constructor"), so that only own properties count. */
  readonly inherited: boolean;
}

interface StructPlan {
  readonly fields: FieldPlan[];
  /**
   * Where each field is in `fields`, for a struct of many fields none of which has a value when it is absent. Of such a struct
   * only what was given is looked at: a JSON schema declares 43 fields, and has one or two of them at each of thousands of
   * properties. Undefined: every field is looked at.
   */
  sparse: ReadonlyMap<string, number> | undefined;
}

const plans = new WeakMap<StructSchema, StructPlan>();
/** A struct of fewer fields is read faster field by field. */
const sparseFieldsMin = 24;

function planOf(schema: StructSchema): StructPlan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const made: StructPlan = { fields: [], sparse: undefined };
  // Before the fields, since a struct may contain itself.
  plans.set(schema, made);
  const { fields } = made;
  for (const [name, field] of schema.fields) fields.push(planField(name, field));
  if (fields.length >= sparseFieldsMin && fields.every(({ absent }) => absent === undefined))
    made.sparse = new Map(fields.map(({ name }, at) => [name, at]));
  return made;
}

function readFields(
  { fields, sparse }: StructPlan,
  source: Readonly<Record<string, unknown>>,
  target: Record<string, unknown>,
): Record<string, unknown> {
  if (sparse !== undefined) return readGiven(fields, sparse, source, target);
  for (let i = 0; i < fields.length; i++) readField(fields[i] as FieldPlan, source, target); // i is within bounds
  return target;
}

function readOthers(
  { fields }: StructPlan,
  source: Readonly<Record<string, unknown>>,
  target: Record<string, unknown>,
  ready: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  for (const field of fields) {
    const made = ready.get(field.name);
    if (made === undefined) readField(field, source, target);
    else setOwn(target, field.name, made);
  }
  return target;
}

/** Looks only at the fields that were given; the result has them in the declared order as well. */
function readGiven(
  fields: readonly FieldPlan[],
  sparse: ReadonlyMap<string, number>,
  source: Readonly<Record<string, unknown>>,
  target: Record<string, unknown>,
): Record<string, unknown> {
  const positions: number[] = [];
  let last = -1;
  let isOrdered = true;
  for (const name of Object.keys(source)) {
    const at = sparse.get(name);
    if (at === undefined) continue;
    if (at < last) isOrdered = false;
    last = at;
    positions.push(at);
  }
  if (!isOrdered) positions.sort((a, b) => a - b);
  for (const at of positions) readField(fields[at] as FieldPlan, source, target); // the map has positions of this list
  return target;
}

function readField(
  { name, read, absent, inherited }: FieldPlan,
  source: Readonly<Record<string, unknown>>,
  target: Record<string, unknown>,
): void {
  const given = inherited && !Object.hasOwn(source, name) ? undefined : source[name];
  let value: unknown;
  if (given !== undefined && given !== null) {
    try {
      value = read(given);
    } catch (error) {
      throw error instanceof DecodeProblem ? error.inside(`.${name}`) : error;
    }
  }
  if (value === undefined) value = absent?.();
  if (value === undefined) return;
  if (inherited) setOwn(target, name, value);
  else target[name] = value;
}

function planField(name: string, { schema, presence }: Field): FieldPlan {
  const inherited = name in Object.prototype;
  const read = reader(schema);
  if (presence === "optional") {
    return { name, read: withEmpty(schema, withoutNull(schema, read)), absent: undefined, inherited };
  }
  if (presence === "nullable") return { name, read, absent: () => null, inherited };
  const vanishes = presence === "elided" && vanishesWhenZero(schema);
  if (!vanishes) return { name, read: withEmpty(schema, read), absent: zeroOf(schema), inherited };
  return { name, read: withoutZero(schema, read), absent: undefined, inherited };
}

function reader(schema: Schema): ReadPresent {
  switch (schema.type) {
    case "struct":
      return structReader(schema);
    case "list":
      return listReader(schema);
    case "map":
      return mapReader(schema);
    case "json":
      return jsonReader(schema);
    default:
      return scalarReader(schema);
  }
}

function zeroOf(schema: Schema): Absent {
  switch (schema.type) {
    case "struct": {
      let plan: StructPlan | undefined;
      return () => {
        plan ??= planOf(schema);
        return readFields(plan, nothing, {});
      };
    }
    case "list":
    case "map":
    case "json":
      return () => null;
    default: {
      const zero = zeroScalar(schema);
      return () => zero;
    }
  }
}

/** A list's items and a map's values are always present: null becomes the zero value. Bytes among them become empty. */
function zeroInside(schema: Schema): Absent {
  return schema.type === "bytes" ? () => "" : zeroOf(schema);
}

function structReader(schema: StructSchema): ReadPresent {
  return schema.isFinal ? finalReader(fieldsReader(schema)) : fieldsReader(schema);
}

/** How many members each value of a final struct has; only of those that are not inside another one. */
const finals = new WeakMap<object, number>();
/** Whether what is being read is inside a value of a final struct. */
let isInFinal = false;

/** Such a value never changes once it was decoded, so decoding it again gives the value itself. */
function finalReader(read: ReadPresent): ReadPresent {
  return (value) => {
    if (isInFinal) return read(value);
    const known = isObject(value) ? (finalFacts(value)?.members ?? finals.get(value)) : undefined;
    if (known !== undefined) {
      checkMembers(known);
      return value;
    }
    const before = members;
    isInFinal = true;
    try {
      const made = read(value);
      if (isObject(made)) finals.set(made, members - before);
      return made;
    } finally {
      isInFinal = false;
    }
  };
}

const parts = new WeakMap<Schema, ReadPresent>();

/** Reads a part of a final value on its own, and says how many members it has. */
export function readPart(schema: Schema, value: unknown): { readonly value: unknown; readonly members: number } {
  const read = parts.get(schema) ?? reader(schema);
  parts.set(schema, read);
  members = 0;
  isInFinal = true;
  try {
    return { value: read(value), members };
  } finally {
    isInFinal = false;
  }
}

/** The value of an item of a list or map, read as `read`, for one that is null or counts as absent. */
export const absentInside = (schema: Schema): unknown => zeroInside(schema)();

function fieldsReader(schema: StructSchema): ReadPresent {
  let plan: StructPlan | undefined;
  return (value) => {
    if (!isObject(value)) throw mismatch("an object", value);
    plan ??= planOf(schema);
    return readFields(plan, value, {});
  };
}

function listReader({ items }: ListSchema): ReadPresent {
  const read = reader(items);
  const zero = zeroInside(items);
  return (value) => {
    if (!Array.isArray(value)) throw mismatch("a list", value);
    if (value.length === 0) return undefined;
    checkMembers(value.length);
    // Not made in its full length at once: V8 prints such lists, and walks them, in a slower way for as long as they live.
    const result: unknown[] = [];
    let i = 0;
    try {
      for (; i < value.length; i++) {
        const item: unknown = value[i];
        result.push((item === null || item === undefined ? undefined : read(item)) ?? zero());
      }
    } catch (error) {
      throw error instanceof DecodeProblem ? error.inside(`[${i}]`) : error;
    }
    return result;
  };
}

function checkMembers(count: number): void {
  members += count;
  if (members > membersMax) throw tooLarge(`an object may have at most ${membersMax} items of lists and keys of maps`);
}

/** Keys are sorted, as v1.21 prints maps: the same map always has the same bytes. */
function mapReader({ values }: MapSchema): ReadPresent {
  const read = reader(values);
  const zero = zeroInside(values);
  return (value) => {
    if (!isObject(value)) throw notMap(value);
    const given = Object.keys(value);
    if (given.length === 0) return undefined;
    checkMembers(given.length);
    const keys = sorted(given);
    const result: Record<string, unknown> = {};
    let key = "";
    try {
      for (key of keys) {
        const item = value[key];
        setOwn(result, key, (item === null || item === undefined ? undefined : read(item)) ?? zero());
      }
    } catch (error) {
      throw error instanceof DecodeProblem ? error.inside(`[${shorten(key)}]`) : error;
    }
    return result;
  };
}

function jsonReader({ form, inner }: JsonValueSchema): ReadPresent {
  if (form === "value") return copyJson;
  if (inner !== undefined) return choiceReader(form, structReader(inner));
  if (form !== "fields") return copyJson;
  return (value) => {
    if (!isObject(value)) throw mismatch("an object", value);
    // Sets of owned fields are never changed, so the next object can share those of the previous one.
    return Object.isFrozen(value) ? value : copyJson(value);
  };
}

function choiceReader(form: JsonValueSchema["form"], read: ReadPresent): ReadPresent {
  return (value) => {
    if (isObject(value)) return read(value);
    if (form === "orBool") {
      if (typeof value === "boolean") return value;
      throw mismatch("a boolean or an object", value);
    }
    if (!Array.isArray(value)) throw mismatch("a list or an object", value);
    checkMembers(value.length);
    // An empty list is neither of the two, and counts as absent.
    if (value.length === 0) return undefined;
    return value.map((item: unknown) => {
      if (form === "orList") return read(item ?? {});
      if (typeof item !== "string") throw mismatch("a string", item);
      return item;
    });
  };
}

function sorted(keys: string[]): string[] {
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  }
  return keys;
}

const shownKeyCharsMax = 64;
const shorten = (key: string) => (key.length > shownKeyCharsMax ? `${key.slice(0, shownKeyCharsMax)}…` : key);
