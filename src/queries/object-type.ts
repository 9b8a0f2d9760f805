/** What `self` is in a question: the object in the version of the request, whose fields are zero where they are not set. */

import { declaredStruct } from "../cel/schema/declared-struct.ts";
import type { DeclaredObject, DeclaredType } from "../cel/schema/declared-type.ts";
import { schemaType } from "../cel/schema/json-schema-type.ts";
import { SchemaObject } from "../cel/schema/schema-values.ts";
import { withZeros } from "../cel/schema/zero-values.ts";
import { dyn, objectType, string } from "../cel/types/types.ts";
import { jsonValue } from "../cel/values/json.ts";
import { EvaluationError } from "../cel/values/values.ts";
import { extensions, type JsonSchema } from "../machinery/json/json-schema.ts";
import { isObject } from "../machinery/json/json-value.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { ObjectMetaStruct } from "../machinery/schema/object-meta.ts";
import type { StructSchema } from "../machinery/schema/schema.ts";

/** The type of objects of the kind; of one without a schema nothing is known before evaluation. */
export function objectTypeOf(kind: BoundKind): DeclaredType {
  const own = ownType(kind);
  return own === undefined ? untyped : withZeros(withIdentity(own));
}

const untyped: DeclaredType = { type: dyn, sizeMax: 0, bytesMin: 0, read: jsonValue };

function ownType({ declaration, schema, kind, group, family }: BoundKind): DeclaredObject | undefined {
  if (declaration.openApi === undefined) return declaredStruct(schema);
  const given = declaration.openApi();
  const prefix = family.environment.vocabulary.extensionPrefix;
  if (given === undefined || keepsUnknown(given, prefix)) return undefined;
  const declared = schemaType(given, { prefix, isResource: true, name: `${group}.${kind}` });
  return declared !== undefined && "properties" in declared ? (declared as DeclaredObject) : undefined;
}

/** Expressions of rules do not see fields of unknown shape; a question about them can only be checked object by object. */
function keepsUnknown(schema: JsonSchema, prefix: string): boolean {
  if (extensions(schema, prefix).preserveUnknownFields || extensions(schema, prefix).embeddedResource) return true;
  const { properties = {}, items, additionalProperties } = schema;
  const inner = [...Object.values(properties), items, additionalProperties].filter(
    (one): one is JsonSchema => isObject(one) && !Array.isArray(one),
  );
  return inner.some((one) => keepsUnknown(one, prefix));
}

const text: DeclaredType = {
  type: string,
  sizeMax: 0,
  bytesMin: 0,
  read: (json) => (typeof json === "string" ? json : notAText),
};
const notAText = new EvaluationError("the value is not a text");

const metadata = declaredStruct(ObjectMetaStruct.schema as StructSchema); // struct() has made it

/** All of metadata, and the type of the object. */
function withIdentity(own: DeclaredObject): DeclaredObject {
  const identity = new Map<string, DeclaredType>([
    ["apiVersion", text],
    ["kind", text],
    ["metadata", metadata],
  ]);
  const properties = new Map([...own.properties, ...identity]);
  const fields = new Map([
    ...own.fields,
    ...[...identity].map(([property, declared]) => [property, { property, declared }] as const),
  ]);
  const made: DeclaredObject = {
    ...own,
    type: objectType(own.type.name, new Map([...fields].map(([name, { declared }]) => [name, declared.type]))),
    properties,
    fields,
    read: (json) => new SchemaObject(made, json as object), // an object of the store
  };
  return made;
}
