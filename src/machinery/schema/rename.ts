/** A declared schema in spoken names: renames fields and defaults that contain the product's name. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { createRewrite, type Rewrite } from "./rewrite.ts";
import type { Rule } from "./rule.ts";
import type { Field, Schema } from "./schema.ts";

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
      const spoken = withSpokenRules(field, vocabulary);
      if (typeof fallback !== "string" || vocabulary.word(fallback) === fallback) return spoken;
      return spoken.with({ fallback: vocabulary.word(fallback) });
    },
    schema<S extends Schema>(schema: S): S {
      if (schema.type !== "list" || !schema.keys?.some((key) => vocabulary.field(key) !== key)) return schema;
      return { ...schema, keys: schema.keys.map(vocabulary.field) };
    },
  });
}

/** The field with the values that its rules allow in spoken names. It is a field of one level, so none of them is dated. */
export function withSpokenRules(field: Field, vocabulary: Vocabulary): Field {
  const word = (value: unknown) => typeof value === "string" && vocabulary.word(value) !== value;
  const isRenamed = (rule: Rule) => rule.rule === "oneOf" && rule.values.some(word);
  if (vocabulary.isNeutral || !field.rules.some(isRenamed)) return field;
  const spoken = (rule: Rule): Rule =>
    rule.rule === "oneOf" ? { ...rule, values: rule.values.map((value) => vocabulary.word(value as string)) } : rule;
  return field.with({ rules: field.rules.map(spoken) });
}
