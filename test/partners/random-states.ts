/** Random states of a document: like another one, with a few fields and items added, removed, changed and moved. */

import type { ListSchema, Schema, StructSchema } from "../../src/machinery/schema/schema.ts";
import { anyJson, type Choice, documentOf, isGone, shuffled } from "./random-patches.ts";

type Json = Record<string, unknown>;

export function stateLike(schema: Schema, document: unknown, choice: Choice, depth = 0): unknown {
  if (choice.chance(25)) return document;
  if (schema.type === "struct") return structLike(schema, document as Json, choice, depth); // made for the schema
  if (schema.type === "list") return listLike(schema, document as readonly unknown[], choice, depth);
  if (schema.type === "map" && choice.chance(80))
    return Object.fromEntries(
      Object.entries({ ...(documentOf(schema, choice, depth) as Json), ...(document as Json) })
        .filter(() => choice.chance(80))
        .map(([key, value]) => [key, stateLike(schema.values, value, choice, depth + 1)]),
    );
  return choice.chance(75) ? document : documentOf(schema, choice, depth);
}

function structLike(schema: StructSchema, document: Json, choice: Choice, depth: number): Json {
  const result: Json = {};
  for (const [name, field] of schema.fields) {
    if (isGone(name)) continue;
    const before = document[name];
    // The library refuses to compare lists in a map (docs/differences.md): they stay as they are.
    if (field.schema.type === "map" && field.schema.values.type === "list") {
      if (before !== undefined) result[name] = before;
      continue;
    }
    if (before === undefined && !choice.chance(Math.min(20, 60 / schema.fields.size))) continue;
    if (before !== undefined && choice.chance(10)) continue;
    const value =
      before === undefined || before === null
        ? documentOf(field.schema, choice, depth + 1)
        : stateLike(field.schema, before, choice, depth + 1);
    if (value !== undefined) result[name] = choice.chance(1) ? null : value;
  }
  return result;
}

function listLike(schema: ListSchema, list: readonly unknown[], choice: Choice, depth: number): unknown[] {
  const key = schema.patchMergeKey;
  const kept = list
    .filter(() => choice.chance(85))
    .map((item) => {
      const like = stateLike(schema.items, item, choice, depth + 1);
      return key === undefined ? like : { ...(like as Json), [key]: (item as Json)[key] };
    });
  const more = choice.chance(25) ? (documentOf(schema, choice, depth) as unknown[]) : [];
  const items = choice.chance(30) ? shuffled([...kept, ...more], choice) : [...kept, ...more];
  return schema.items.type === "struct" ? items : [...new Set(items)];
}

/** The document without items that have the merge key of an earlier one: how the library combines those of two patches is an accident. */
export function withoutRepeats(schema: Schema | undefined, value: unknown): unknown {
  if (schema?.type === "list" && Array.isArray(value)) {
    const key = schema.patchMergeKey;
    const known = new Set<unknown>();
    const isFirst = (item: unknown) => key === undefined || known.size < known.add((item as Json)[key]).size;
    return value.filter(isFirst).map((item) => withoutRepeats(schema.items, item));
  }
  if (typeof value !== "object" || value === null) return value;
  const memberOf = (name: string) =>
    schema?.type === "struct" ? schema.fields.get(name)?.schema : schema?.type === "map" ? schema.values : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutRepeats(memberOf(name), member)]),
  );
}

/** Likewise, for any JSON. */
export function jsonLike(document: unknown, choice: Choice): unknown {
  if (choice.chance(25)) return document;
  if (typeof document !== "object" || document === null || choice.chance(10)) return anyJson(choice, 1);
  if (Array.isArray(document)) return document.filter(() => choice.chance(80)).map((item) => jsonLike(item, choice));
  return Object.fromEntries(
    [...Object.entries(document), ...choice.many(1, () => ["new", anyJson(choice, 1)] as const)]
      .filter(() => choice.chance(85))
      .map(([key, value]) => [key, jsonLike(value, choice)]),
  );
}
