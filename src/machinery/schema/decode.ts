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
import { badRequest } from "../status/status.ts";
import { DecodeProblem, mismatch, notMap, scalarReader, zeroScalar } from "./decode-scalar.ts";
import { countMembers, type Tally } from "./decode-tally.ts";
import { type ReadPresent, vanishesWhenZero, withEmpty, withoutNull, withoutZero } from "./presence.ts";
import { type Absent, type FieldPlan, type ReadFields, readField, unrolled } from "./read-fields.ts";
import type { Field, JsonValueSchema, ListSchema, MapSchema, Schema, StructSchema } from "./schema.ts";

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
  try {
    if (value === null || value === undefined) return addAbsent(plan, target);
    if (!isObject(value)) throw mismatch("an object", value);
    return ready === undefined || ready.size === 0
      ? readFields(plan, value, target, { members: 0, isInFinal: false })
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

interface StructPlan {
  readonly fields: FieldPlan[];
  /**
   * Where each field is in `fields`, for a struct of many fields none of which has a value when it is absent. Of such a struct
   * only what was given is looked at: a JSON schema declares 43 fields, and has one or two of them at each of thousands of
   * properties. Undefined: every field is looked at.
   */
  sparse: ReadonlyMap<string, number> | undefined;
  reads: number;
  /** Made when it was read often enough. */
  unrolled: ReadFields | undefined;
}

const plans = new WeakMap<StructSchema, StructPlan>();
/** A struct of fewer fields is read faster field by field. */
const sparseFieldsMin = 24;
/** A struct that is read less often does not pay for code of its own. */
export const readsBeforeUnrolled = 100;

function planOf(schema: StructSchema): StructPlan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const made: StructPlan = { fields: [], sparse: undefined, reads: 0, unrolled: undefined };
  // Before the fields, since a struct may contain itself.
  plans.set(schema, made);
  const { fields } = made;
  for (const [name, field] of schema.fields) fields.push(planField(name, field));
  if (fields.length >= sparseFieldsMin && fields.every(({ absent }) => absent === undefined))
    made.sparse = new Map(fields.map(({ name }, at) => [name, at]));
  return made;
}

function readFields(
  plan: StructPlan,
  source: Readonly<Record<string, unknown>>,
  target: Record<string, unknown>,
  tally: Tally,
): Record<string, unknown> {
  if (plan.unrolled !== undefined) {
    plan.unrolled(source, target, tally);
    return target;
  }
  const { fields, sparse } = plan;
  plan.reads++;
  if (plan.reads === readsBeforeUnrolled && sparse === undefined) plan.unrolled = unrolled(fields);
  // Positions of the map and of the loop are within bounds.
  if (sparse !== undefined)
    for (const at of givenPositions(sparse, source)) readField(fields[at] as FieldPlan, source, target, tally);
  else for (let i = 0; i < fields.length; i++) readField(fields[i] as FieldPlan, source, target, tally);
  return target;
}

function readOthers(
  { fields }: StructPlan,
  source: Readonly<Record<string, unknown>>,
  target: Record<string, unknown>,
  ready: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  const tally: Tally = { members: 0, isInFinal: false };
  for (const field of fields) {
    const made = ready.get(field.name);
    if (made === undefined) readField(field, source, target, tally);
    else setOwn(target, field.name, made);
  }
  return target;
}

/** Where the fields that were given are, in the declared order. */
function givenPositions(
  sparse: ReadonlyMap<string, number>,
  source: Readonly<Record<string, unknown>>,
): readonly number[] {
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
  return positions;
}

/** What a struct has where none of its fields was given. */
function addAbsent({ fields }: StructPlan, target: Record<string, unknown>): Record<string, unknown> {
  for (const { name, absent } of fields) {
    const value = absent?.();
    if (value !== undefined) setOwn(target, name, value);
  }
  return target;
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
        return addAbsent(plan, {});
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

/** Such a value never changes once it was decoded, so decoding it again gives the value itself. */
function finalReader(read: ReadPresent): ReadPresent {
  return (value, tally) => {
    if (tally.isInFinal) return read(value, tally);
    const known = isObject(value) ? (finalFacts(value)?.members ?? finals.get(value)) : undefined;
    if (known !== undefined) {
      countMembers(tally, known);
      return value;
    }
    const before = tally.members;
    tally.isInFinal = true;
    const made = read(value, tally);
    tally.isInFinal = false;
    if (isObject(made)) finals.set(made, tally.members - before);
    return made;
  };
}

const parts = new WeakMap<Schema, ReadPresent>();

/** Reads a part of a final value on its own, and says how many members it has. */
export function readPart(schema: Schema, value: unknown): { readonly value: unknown; readonly members: number } {
  const read = parts.get(schema) ?? reader(schema);
  parts.set(schema, read);
  const tally: Tally = { members: 0, isInFinal: true };
  const made = read(value, tally);
  return { value: made, members: tally.members };
}

/** The value of an item of a list or map, read as `read`, for one that is null or counts as absent. */
export const absentInside = (schema: Schema): unknown => zeroInside(schema)();

function fieldsReader(schema: StructSchema): ReadPresent {
  let plan: StructPlan | undefined;
  return (value, tally) => {
    if (!isObject(value)) throw mismatch("an object", value);
    plan ??= planOf(schema);
    return readFields(plan, value, {}, tally);
  };
}

function listReader({ items }: ListSchema): ReadPresent {
  const read = reader(items);
  const zero = zeroInside(items);
  return (value, tally) => {
    if (!Array.isArray(value)) throw mismatch("a list", value);
    if (value.length === 0) return undefined;
    countMembers(tally, value.length);
    // Not made in its full length at once: V8 prints such lists, and walks them, in a slower way for as long as they live.
    const result: unknown[] = [];
    let i = 0;
    try {
      for (; i < value.length; i++) {
        const item: unknown = value[i];
        result.push((item === null || item === undefined ? undefined : read(item, tally)) ?? zero());
      }
    } catch (error) {
      throw error instanceof DecodeProblem ? error.inside(`[${i}]`) : error;
    }
    return result;
  };
}

/** Keys are sorted, as v1.21 prints maps: the same map always has the same bytes. */
function mapReader({ values }: MapSchema): ReadPresent {
  const read = reader(values);
  const zero = zeroInside(values);
  return (value, tally) => {
    if (!isObject(value)) throw notMap(value);
    const given = Object.keys(value);
    if (given.length === 0) return undefined;
    countMembers(tally, given.length);
    const keys = sorted(given);
    const result: Record<string, unknown> = {};
    let key = "";
    try {
      for (key of keys) {
        const item = value[key];
        setOwn(result, key, (item === null || item === undefined ? undefined : read(item, tally)) ?? zero());
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
  // Sets of owned fields are never changed, so the next object can share those of the previous one.
  return (value) => (Object.isFrozen(value) ? value : copyJson(value));
}

function choiceReader(form: JsonValueSchema["form"], read: ReadPresent): ReadPresent {
  return (value, tally) => {
    if (isObject(value)) return read(value, tally);
    if (form === "orBool") {
      if (typeof value === "boolean") return value;
      throw mismatch("a boolean or an object", value);
    }
    // A scalar or an empty list is neither of the two, and counts as absent.
    if (!Array.isArray(value) || value.length === 0) return undefined;
    countMembers(tally, value.length);
    return value.map((item: unknown) => {
      if (form === "orList") return read(item ?? {}, tally);
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
