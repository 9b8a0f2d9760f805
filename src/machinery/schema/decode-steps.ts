/** Decoding of a large final value, in steps: what `decode.ts` does at once. */

import { sortSteps } from "../../base/sort-steps.ts";
import { Pace, type Steps } from "../../base/time-slice.ts";
import { getOwn, isObject, type JsonObject, setOwn } from "../json/json-value.ts";
import { isSmall } from "../json/parts.ts";
import { absentInside, readPart } from "./decode.ts";
import { membersMax } from "./decode-tally.ts";
import type { Schema, StructSchema } from "./schema.ts";

/** A part of no more parts than this is decoded at once. */
const partsAtOnceMax = 50;

/** The value is not what the schema says; `decode.ts` says what is wrong and where. */
class Undecodable extends Error {}

interface Work {
  readonly pace: Pace;
  members: number;
}

/** The decoded value and how many members it has. Undefined: it cannot be decoded. */
export function* decodeFinalSteps(
  schema: StructSchema,
  value: JsonObject,
): Steps<{ readonly value: object; readonly members: number } | undefined> {
  const work: Work = { pace: new Pace(), members: 0 };
  try {
    return { value: yield* readStruct(schema, value, work), members: work.members };
  } catch {
    return undefined;
  }
}

function* readValue(schema: Schema, value: unknown, work: Work): Steps<unknown> {
  if (work.pace.isDue) yield;
  if (isSmall(value, partsAtOnceMax)) return readAtOnce(schema, value, work);
  if (schema.type === "struct" && isObject(value)) return yield* readStruct(schema, value, work);
  if (schema.type === "json" && schema.inner !== undefined && isObject(value))
    return yield* readStruct(schema.inner, value, work);
  if (schema.type === "list" && Array.isArray(value)) return yield* readItems(schema.items, value, work);
  if (schema.type === "map" && isObject(value)) return yield* readMembers(schema.values, value, work);
  return readAtOnce(schema, value, work);
}

function readAtOnce(schema: Schema, value: unknown, work: Work): unknown {
  const read = readPart(schema, value);
  count(work, read.members);
  return read.value;
}

/** Large parts in steps, then all together at once: a struct has few members, and the large ones have been read. */
function* readStruct(schema: StructSchema, source: JsonObject, work: Work): Steps<JsonObject> {
  const small: JsonObject = {};
  const large = new Map<string, unknown>();
  for (const [name, field] of schema.fields) {
    const given = getOwn(source, name);
    if (given === undefined) continue;
    if (isSmall(given, partsAtOnceMax)) setOwn(small, name, given);
    else large.set(name, yield* readValue(field.schema, given, work));
  }
  const rest = readAtOnce(schema, small, work);
  const result: JsonObject = {};
  for (const name of schema.fields.keys()) {
    const value = large.get(name) ?? (isObject(rest) ? getOwn(rest, name) : undefined);
    if (value !== undefined) setOwn(result, name, value);
  }
  return result;
}

function* readItems(schema: Schema, items: readonly unknown[], work: Work): Steps<unknown[]> {
  count(work, items.length);
  const result: unknown[] = [];
  for (const item of items) {
    const read = item === null || item === undefined ? undefined : yield* readValue(schema, item, work);
    result.push(read ?? absentInside(schema));
  }
  return result;
}

function* readMembers(schema: Schema, members: JsonObject, work: Work): Steps<JsonObject> {
  const keys = Object.keys(members);
  count(work, keys.length);
  const result: JsonObject = {};
  for (const key of yield* sortSteps(keys)) {
    const item = members[key];
    const read = item === null || item === undefined ? undefined : yield* readValue(schema, item, work);
    setOwn(result, key, read ?? absentInside(schema));
  }
  return result;
}

function count(work: Work, members: number): void {
  work.members += members;
  if (work.members > membersMax) throw new Undecodable();
}
