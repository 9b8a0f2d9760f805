/** A declared schema in spoken names: renames fields and defaults that contain the product's name. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createRewrite, type Rewrite } from "./rewrite.ts";
import type { Schema } from "./schema.ts";

/** Servers of one vocabulary share the schemas, and so what is made of them. */
const known = new WeakMap<Vocabulary, Rewrite>();

export function inWordsOf(vocabulary: Vocabulary): Rewrite {
  const found = known.get(vocabulary);
  if (found !== undefined) return found;
  const made: Rewrite = vocabulary.isNeutral ? (schema) => schema : createRename(vocabulary);
  known.set(vocabulary, made);
  return made;
}

function createRename(vocabulary: Vocabulary): Rewrite {
  return createRewrite({
    name: (name) => vocabulary.field(name),
    field(field) {
      const { fallback } = field;
      if (typeof fallback !== "string" || vocabulary.word(fallback) === fallback) return field;
      return field.with({ fallback: vocabulary.word(fallback) });
    },
    schema<S extends Schema>(schema: S): S {
      if (schema.type !== "list" || !schema.keys?.some((key) => vocabulary.field(key) !== key)) return schema;
      return { ...schema, keys: schema.keys.map(vocabulary.field) };
    },
  });
}
