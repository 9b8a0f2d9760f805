/** From a published OpenAPI v3 document to one schema without references, as far as the types of expressions need it. */

import type { JsonSchema } from "../json/json-schema.ts";
import { isObject, type JsonObject } from "../json/json-value.ts";

/** A value of which a schema says nothing: its type is known only when it is evaluated. */
const anyValue = { "x-orch-int-or-string": true } as JsonSchema; // an extension, which the type does not name

/** A schema that contains itself has no finite type. */
class Recursion extends Error {}

/** The schema of a kind, with extensions of the prefix "x-orch-". Undefined: the document has none, or it contains itself. */
export function resolveSchema(
  document: JsonObject,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): JsonSchema | undefined {
  const components = document["components"];
  const schemas = isObject(components) ? components["schemas"] : undefined;
  if (!isObject(schemas)) return undefined;
  const isOfKind = (one: unknown) =>
    isObject(one) && one["group"] === group && one["version"] === version && one["kind"] === kind;
  const root = Object.values(schemas).find((schema) => {
    if (!isObject(schema)) return false;
    const key = Object.keys(schema).find((name) => name.endsWith("-group-version-kind"));
    const kinds = key === undefined ? undefined : schema[key];
    return Array.isArray(kinds) && kinds.some(isOfKind);
  });
  if (!isObject(root)) return undefined;
  try {
    return createResolver(schemas)(root, []);
  } catch (error) {
    if (error instanceof Recursion) return undefined;
    throw error;
  }
}

type Resolve = (schema: JsonObject, within: readonly string[]) => JsonSchema;

function createResolver(schemas: JsonObject): Resolve {
  const known = new Map<string, JsonSchema>();
  const named = (reference: string, within: readonly string[]): JsonSchema => {
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    if (within.includes(name)) throw new Recursion();
    const found = known.get(name);
    if (found !== undefined) return found;
    const schema = schemas[name];
    const resolved = isObject(schema) ? resolve(schema, [...within, name]) : anyValue;
    known.set(name, resolved);
    return resolved;
  };
  const resolve: Resolve = (schema, within) => {
    const reference = referenceOf(schema);
    if (reference !== undefined) return named(reference, within);
    const { type, format, properties, items, additionalProperties: more } = schema;
    if (type === "array" && isObject(items)) return { type, items: resolve(items, within) };
    if (isObject(properties)) {
      const members = Object.entries(properties).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
      return {
        type: "object",
        properties: Object.fromEntries(members.map(([name, one]) => [name, resolve(one, within)])),
      };
    }
    if (type === "object" && isObject(more)) return { type, additionalProperties: resolve(more, within) };
    if (typeof type !== "string" || !scalars.has(type)) return anyValue;
    return typeof format === "string" ? { type, format } : { type };
  };
  return resolve;
}

const scalars: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean"]);

/** A reference may stand alone, or alone in allOf beside a description. */
function referenceOf({ $ref: plain, allOf }: JsonObject): string | undefined {
  if (typeof plain === "string") return plain;
  const only: unknown = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  const inner = isObject(only) ? only["$ref"] : undefined;
  return typeof inner === "string" ? inner : undefined;
}
