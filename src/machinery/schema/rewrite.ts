/** Makes a schema out of another one: some fields and values differ, all else stays the same value. */

import type { Field, Schema, StructSchema } from "./schema.ts";

export type Rewrite = (schema: StructSchema) => StructSchema;

/** What differs. Each function returns its argument where nothing does, and does not look at what is inside. */
interface Differences {
  /** The name of a field; undefined: it is left out. */
  name(name: string, field: Field): string | undefined;
  field(field: Field, name: string): Field;
  schema<S extends Schema>(schema: S): S;
  /** Whether a struct stays as it is, with all that is inside. Absent: none does. */
  leaves?(schema: StructSchema): boolean;
}

type Fields = StructSchema["fields"];

/**
 * A struct becomes another one when it is asked for, its fields when they are first read: most servers never see an object of most
 * kinds. The same struct always becomes the same value, so plans made for it are shared by all servers.
 */
export function createRewrite(differences: Differences): Rewrite {
  const made = new WeakMap<StructSchema, StructSchema>();
  /** Versions of a kind share the fields of their hub, also afterwards. */
  const fieldsOf = new WeakMap<Fields, Fields>();

  const struct: Rewrite = (schema) => {
    const known = made.get(schema);
    if (known !== undefined) return known;
    if (differences.leaves?.(schema) === true) return schema;
    const result = withFields(differences.schema(schema), () => fieldsAfter(schema.fields));
    made.set(schema, result);
    return result;
  };

  function fieldsAfter(declared: Fields): Fields {
    const known = fieldsOf.get(declared);
    if (known !== undefined) return known;
    const fields = new Map<string, Field>();
    for (const [name, before] of declared) {
      const kept = differences.name(name, before);
      if (kept === undefined) continue;
      const field = differences.field(before, name);
      const schema = inside(field.schema);
      fields.set(kept, schema === field.schema ? field : field.with({ schema }));
    }
    fieldsOf.set(declared, fields);
    return fields;
  }

  function inside(schema: Schema): Schema {
    switch (schema.type) {
      case "struct":
        return struct(schema);
      case "list": {
        const items = inside(schema.items);
        const list = differences.schema(schema);
        return items === list.items ? list : { ...list, items };
      }
      case "map": {
        const values = inside(schema.values);
        const map = differences.schema(schema);
        return values === map.values ? map : { ...map, values };
      }
      case "json":
        return schema.inner ? { ...schema, inner: struct(schema.inner) } : schema;
      default:
        return differences.schema(schema);
    }
  }

  return struct;
}

/** A copy of `schema` with other fields, which are made when they are first read. */
function withFields(schema: StructSchema, make: () => Fields): StructSchema {
  const copy = {};
  // Reading the fields of `schema` would make them.
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(schema)))
    if (key !== "fields") Object.defineProperty(copy, key, property);
  const define = (how: PropertyDescriptor) =>
    Object.defineProperty(copy, "fields", { enumerable: true, configurable: true, ...how });
  define({
    get: () => {
      const fields = make();
      define({ value: fields });
      return fields;
    },
  });
  return copy as StructSchema; // all its members have been copied, and it has fields
}
