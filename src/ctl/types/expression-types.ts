/** Types of expressions for objects of files: from their definition, or from their values. */

import type { DeclaredType } from "../../cel/schema/declared-type.ts";
import { schemaType } from "../../cel/schema/json-schema-type.ts";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";
import { apiVersionOf, isJson, type Json, kindOf, list, object, text } from "../json.ts";

/** From the version of the definition that the object names. */
export function declaredType(subject: Json, definitions: readonly Json[]): DeclaredType | undefined {
  const [group, version] = apiVersionOf(subject).split("/");
  const definition = definitions.find(
    (one) => text(one, "spec", "group") === group && text(one, "spec", "names", "kind") === kindOf(subject),
  );
  const found = definition && list(definition, "spec", "versions").find((one) => text(one, "name") === version);
  const schema = found && object(found, "schema", "openAPIV3Schema");
  if (schema === undefined) return undefined;
  const isKubernetes = JSON.stringify(schema).includes('"x-kubernetes-');
  return schemaType(schema, { prefix: isKubernetes ? "x-kubernetes-" : "x-orch-", isResource: true, name: "self" });
}

/** With the fields of all of the objects. */
export function inferredType(objects: readonly Json[]): DeclaredType | undefined {
  const schema = objects.map(inferredSchema).reduce(merged);
  return schemaType(schema, { prefix: "x-orch-", isResource: false, name: "self" });
}

/** The schema that a value suggests, with lists of one schema for all items. */
interface InferredSchema extends JsonSchema {
  readonly items?: InferredSchema;
  readonly properties?: Readonly<Record<string, InferredSchema>>;
}

function inferredSchema(value: unknown): InferredSchema {
  if (Array.isArray(value))
    return value.length === 0 ? {} : { type: "array", items: value.map(inferredSchema).reduce(merged) };
  if (isJson(value)) {
    const properties = Object.entries(value).map(([name, member]) => [name, inferredSchema(member)] as const);
    return { type: "object", properties: Object.fromEntries(properties) };
  }
  if (typeof value === "string") return { type: "string" };
  if (typeof value === "boolean") return { type: "boolean" };
  return typeof value === "number" ? { type: Number.isInteger(value) ? "integer" : "number" } : {};
}

/** Of both values; those of different types may be anything. */
function merged(a: InferredSchema, b: InferredSchema): InferredSchema {
  if (a.type !== b.type) return {};
  if (a.items !== undefined && b.items !== undefined) return { type: "array", items: merged(a.items, b.items) };
  if (a.properties === undefined || b.properties === undefined) return a;
  const properties = { ...a.properties };
  for (const [name, schema] of Object.entries(b.properties))
    properties[name] = Object.hasOwn(properties, name) ? merged(properties[name]!, schema) : schema;
  return { type: "object", properties };
}
