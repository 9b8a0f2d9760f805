/** What a published schema says about the values of a field, as lines of `explain`. */

import { isJson, type Json, texts } from "../json.ts";

/** "Always", "IfNotPresent": the values of the field, or of the items in it. */
export function valuesOf(schema: Json): string[] {
  const items = schema["items"];
  const values = schema["enum"] ?? (isJson(items) ? items["enum"] : undefined);
  return Array.isArray(values) ? values.map((value) => (value === "" ? '""' : String(value))) : [];
}

/** "Rules: at least 1; cannot be changed", without the values; undefined: the schema says nothing. */
export function rulesLine(schema: Json): string | undefined {
  const extension = Object.keys(schema).find((key) => key.startsWith("x-") && key.endsWith("-rules"));
  const told = extension === undefined ? keywordRules(schema) : texts(schema, extension);
  const rules = valuesOf(schema).length === 0 ? told : told.filter((rule) => !rule.startsWith("one of "));
  return rules.length === 0 ? undefined : `Rules: ${rules.join("; ")}`;
}

/** The keywords of JSON schemas, which definitions of custom kinds have. */
const keywords: Readonly<Record<string, (value: string, schema: Json) => string>> = {
  minimum: (value, schema) => (schema["exclusiveMinimum"] === true ? `greater than ${value}` : `at least ${value}`),
  maximum: (value, schema) => (schema["exclusiveMaximum"] === true ? `less than ${value}` : `at most ${value}`),
  multipleOf: (value) => `a multiple of ${value}`,
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  pattern: (value) => `matches ${value}`,
  minItems: (value) => `at least ${value} items`,
  maxItems: (value) => `at most ${value} items`,
  uniqueItems: () => "no two items are the same",
  minProperties: (value) => `at least ${value} members`,
  maxProperties: (value) => `at most ${value} members`,
};

const keywordRules = (schema: Json): string[] =>
  Object.entries(keywords).flatMap(([keyword, words]) => {
    const value = schema[keyword];
    return value === undefined || value === false ? [] : [words(String(value), schema)];
  });
