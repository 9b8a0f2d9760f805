/** Makes a schema out of another one: some fields and values differ, all else stays the same value. */

import { Field, type Schema, type StructSchema } from "./schema.ts";

export type Rewrite = (schema: StructSchema) => StructSchema;

/** What differs. Each function returns its argument where nothing does, and does not look at what is inside. */
interface Differences {
  /** The name of a field; undefined: it is left out. */
  name(name: string, field: Field): string | undefined;
  field(field: Field): Field;
  schema<S extends Schema>(schema: S): S;
}

/** Schemas in which nothing differs stay the same value, so plans made for them are shared by all servers. */
export function createRewrite(differences: Differences): Rewrite {
  const made = new WeakMap<StructSchema, StructSchema>();
  /** Versions of a kind share the fields of their hub, also afterwards. */
  const fieldsOf = new WeakMap<StructSchema["fields"], StructSchema["fields"]>();
  const touched = new WeakMap<StructSchema, boolean>();

  const struct: Rewrite = (schema) => {
    const known = made.get(schema);
    if (known !== undefined) return known;
    if (!isTouched(schema, differences, touched)) return schema;
    const shared = fieldsOf.get(schema.fields);
    const fields = new Map<string, Field>();
    const result: StructSchema = { ...differences.schema(schema), fields: shared ?? fields };
    // Before the fields, since a struct may contain itself.
    made.set(schema, result);
    if (shared !== undefined) return result;
    fieldsOf.set(schema.fields, fields);
    for (const [name, declared] of schema.fields) {
      const field = differences.field(declared);
      const kept = differences.name(name, declared);
      if (kept !== undefined) fields.set(kept, new Field(inside(field.schema), field.presence, { ...field }));
    }
    return result;
  };

  function inside(schema: Schema): Schema {
    switch (schema.type) {
      case "struct":
        return struct(schema);
      case "list":
        return { ...differences.schema(schema), items: inside(schema.items) };
      case "map":
        return { ...differences.schema(schema), values: inside(schema.values) };
      case "json":
        return schema.inner ? { ...schema, inner: struct(schema.inner) } : schema;
      default:
        return differences.schema(schema);
    }
  }

  return struct;
}

/** Whether anything that can be reached from `schema` differs. */
function isTouched(schema: StructSchema, differences: Differences, known: WeakMap<StructSchema, boolean>): boolean {
  const answer = known.get(schema);
  if (answer !== undefined) return answer;
  const seen = new Set<StructSchema>();
  const found = reaches(schema);
  // If nothing is found, nothing below has one either; if something is found, it is unknown which part has it.
  if (found) known.set(schema, true);
  else for (const each of seen) known.set(each, false);
  return found;

  function reaches(at: Schema): boolean {
    if (at.type === "struct") {
      if (known.has(at)) return known.get(at) === true;
      if (seen.has(at)) return false;
      seen.add(at);
    }
    if (differences.schema(at) !== at) return true;
    switch (at.type) {
      case "struct":
        for (const [name, field] of at.fields) {
          if (differences.name(name, field) !== name || differences.field(field) !== field) return true;
          if (reaches(field.schema)) return true;
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
