/** A declared schema in spoken names: renames fields and defaults that contain the product's name. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { copyJson } from "./json-value.ts";
import { Field, type Schema, type StructSchema } from "./schema.ts";

export type Rename = (schema: StructSchema) => StructSchema;

/** Schemas in which nothing has another name stay the same value, so plans made for them are shared by all servers. */
export function createRename(vocabulary: Vocabulary): Rename {
  if (vocabulary.isNeutral) return (schema) => schema;
  const renamed = new Map<StructSchema, StructSchema>();
  const touched = new Map<StructSchema, boolean>();

  const struct: Rename = (schema) => {
    const known = renamed.get(schema);
    if (known !== undefined) return known;
    if (!isTouched(schema, vocabulary, touched)) return schema;
    const fields = new Map<string, Field>();
    const result: StructSchema = { ...schema, fields };
    // Before the fields, since a struct may contain itself.
    renamed.set(schema, result);
    for (const [name, field] of schema.fields) fields.set(vocabulary.field(name), renameField(field));
    return result;
  };

  function renameField(field: Field): Field {
    const fallback = typeof field.fallback === "string" ? vocabulary.word(field.fallback) : copyJson(field.fallback);
    return new Field(renameSchema(field.schema), field.presence, { ...field, fallback });
  }

  function renameSchema(schema: Schema): Schema {
    switch (schema.type) {
      case "struct":
        return struct(schema);
      case "list":
        return {
          ...schema,
          items: renameSchema(schema.items),
          ...(schema.keys ? { keys: schema.keys.map(vocabulary.field) } : {}),
        };
      case "map":
        return { ...schema, values: renameSchema(schema.values) };
      case "json":
        return schema.inner ? { ...schema, inner: struct(schema.inner) } : schema;
      default:
        return schema;
    }
  }

  return struct;
}

/** Whether anything that can be reached from `schema` has another name. */
function isTouched(schema: StructSchema, vocabulary: Vocabulary, known: Map<StructSchema, boolean>): boolean {
  const answer = known.get(schema);
  if (answer !== undefined) return answer;
  const seen = new Set<StructSchema>();
  const found = reaches(schema);
  // If nothing is found, nothing below has one either; if something is found, it is unknown which part has it.
  if (found) known.set(schema, true);
  else for (const each of seen) known.set(each, false);
  return found;

  function reaches(at: Schema): boolean {
    switch (at.type) {
      case "struct":
        if (known.has(at)) return known.get(at) === true;
        if (seen.has(at)) return false;
        seen.add(at);
        for (const [name, field] of at.fields) {
          if (vocabulary.field(name) !== name || reaches(field.schema)) return true;
          if (typeof field.fallback === "string" && vocabulary.word(field.fallback) !== field.fallback) return true;
        }
        return false;
      case "list":
        return reaches(at.items);
      case "map":
        return reaches(at.values);
      case "json":
        return at.inner !== undefined && reaches(at.inner);
      default:
        return false;
    }
  }
}
