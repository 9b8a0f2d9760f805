/** The schema of a custom kind as published in OpenAPI: complete in v3, in v2 without what its clients cannot read. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import type { JsonSchema as GivenSchema } from "../json/json-schema.ts";
import { additionalSchema, extensions, itemSchema } from "../json/json-schema.ts";
import { type JsonObject, setOwn } from "../json/json-value.ts";
import type { OpenApiSchema } from "./document.ts";

interface Shared {
  /** "x-orch-". */
  readonly prefix: string;
  readonly apiVersion: OpenApiSchema;
  readonly kind: OpenApiSchema;
  /** A reference to the metadata of every object. */
  readonly metadata: OpenApiSchema;
}

type Form = "v2" | "v3";

/** Undefined: the kind has no schema, and clients must not treat unknown fields as errors. */
export function* customDefinition(given: GivenSchema | undefined, form: Form, shared: Shared): Steps<OpenApiSchema> {
  if (given === undefined || (form === "v2" && extensions(given, shared.prefix).preserveUnknownFields === true))
    return { type: "object" };
  const { properties = {}, ...rest } = yield* publish(given, { form, shared, pace: new Pace() });
  const { apiVersion, kind, metadata } = shared;
  const { apiVersion: _a, kind: _k, metadata: _m, ...others } = properties;
  return { ...rest, properties: { apiVersion, kind, metadata, ...others } };
}

interface Publication {
  readonly form: Form;
  readonly shared: Shared;
  readonly pace: Pace;
}

/** Keywords that stay unchanged. v2 can express neither choices nor null. */
const plain = [
  "description",
  "type",
  "format",
  "title",
  "default",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "enum",
  "maxProperties",
  "minProperties",
] as const satisfies readonly (keyof GivenSchema)[];
const onlyInV3 = ["nullable", "allOf", "anyOf", "oneOf", "not"] as const satisfies readonly (keyof GivenSchema)[];

const keywordsOf = { v2: plain, v3: [...plain, ...onlyInV3] };

function* publish(given: GivenSchema, publication: Publication): Steps<OpenApiSchema> {
  const { form, shared, pace } = publication;
  if (pace.isDue) yield;
  const { prefix } = shared;
  const known = extensions(given, prefix);
  const isOpen = form === "v2" && (given.nullable === true || known.preserveUnknownFields === true);
  const members: JsonObject = {};
  for (const keyword of keywordsOf[form]) if (given[keyword] !== undefined) members[keyword] = given[keyword];
  const result = members as OpenApiSchema; // these keywords have the same names and values in OpenAPI
  // A value that may be null or anything has no type in v2, as in v1.21: its clients would refuse a null.
  if (isOpen) delete result.type;
  for (const name of Object.keys(given))
    if (name.startsWith(prefix)) setOwn(members, name, (given as Readonly<JsonObject>)[name]);
  const required = requiredOf(given, form);
  if (required.length > 0) result.required = required;
  const items = itemSchema(given);
  if (items !== undefined && !isOpen) result.items = yield* publish(items, publication);
  const more = additionalSchema(given);
  if (more !== undefined) result.additionalProperties = yield* publish(more, publication);
  else if (given.additionalProperties !== undefined && form === "v3")
    result.additionalProperties = given.additionalProperties === true;
  if (given.properties !== undefined && !isOpen) result.properties = yield* publishAll(given.properties, publication);
  return known.embeddedResource && !isOpen ? withIdentity(result, shared) : result;
}

function* publishAll(
  properties: Readonly<Record<string, GivenSchema>>,
  publication: Publication,
): Steps<Record<string, OpenApiSchema>> {
  const result: Record<string, OpenApiSchema> = {};
  for (const name of Object.keys(properties))
    setOwn(result, name, yield* publish(properties[name] as GivenSchema, publication)); // by its own name
  return result;
}

/** For clients of v2, a field that may be null is optional as well. */
function requiredOf({ required = [], properties = {} }: GivenSchema, form: Form): readonly string[] {
  if (form === "v3") return required;
  return required.filter((name) => !(Object.hasOwn(properties, name) && properties[name]?.nullable === true));
}

/** An embedded whole object has apiVersion and kind, whether or not its schema declares them. */
function withIdentity(schema: OpenApiSchema, { apiVersion, kind, metadata }: Shared): OpenApiSchema {
  const required = new Set([...(schema.required ?? []), "kind", "apiVersion"]);
  return { ...schema, required: [...required], properties: { ...schema.properties, apiVersion, kind, metadata } };
}
