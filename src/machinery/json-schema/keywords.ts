/** Which keywords the schema of a definition may use, and how. Whether it is structural is checked in `structural.ts`. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import type { JsonSchema } from "../json/json-schema.ts";
import { additionalSchema, extensions, itemSchema, propertyOf } from "../json/json-schema.ts";
import {
  addTo,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  problemsFoundMax,
  required,
} from "../status/field-error.ts";

/** The rules of a schema; an object that did not meet one before need not meet it now. */
export interface SchemaRules {
  /** The prefix of extensions: "x-orch-". */
  readonly prefix: string;
  readonly allowDefaults: boolean;
  readonly validTypes: boolean;
  /** Whether objects that are items of a set must be replaced as a whole. */
  readonly atomicSets: boolean;
  /** Whether keys of a list map must always have a value. */
  readonly keysNeeded: boolean;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

export function* validateSchema(schema: JsonSchema, path: string, rules: SchemaRules): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  yield* visit(schema, path, { ...rules, isRoot: true, insideMetadata: false, errors, pace: new Pace() });
  return errors;
}

interface Context extends SchemaRules {
  readonly pace: Pace;
  /** The errors of the whole schema, so that what is found far inside is not copied from level to level. */
  readonly errors: FieldError[];
  readonly isRoot: boolean;
  readonly insideMetadata: boolean;
}

function* visit(schema: JsonSchema, path: string, context: Context): Steps<void> {
  if (context.errors.length >= problemsFoundMax) return;
  if (context.pace.isDue) yield;
  checkKeywords(schema, path, context);
  if (hasMembers(schema)) yield* checkMembers(schema, path, context);
  if (hasChoices(schema)) yield* checkChoices(schema, path, context);
  if (schema.items !== undefined) yield* checkItems(schema, path, context);
  checkTopology(schema, path, context);
}

/** Most schemas are those of single values, and have neither. */
const hasMembers = ({ properties, additionalProperties: more, definitions, dependencies }: JsonSchema): boolean =>
  properties !== undefined || more !== undefined || definitions !== undefined || dependencies !== undefined;
const hasChoices = ({ not, allOf, oneOf, anyOf }: JsonSchema): boolean =>
  not !== undefined || allOf !== undefined || oneOf !== undefined || anyOf !== undefined;

function checkKeywords(schema: JsonSchema, path: string, context: Context): void {
  const { errors } = context;
  const refuse = (keyword: string, detail: string) => errors.push(forbidden(`${path}.${keyword}`, detail));
  if (context.validTypes && schema.type && !types.includes(schema.type))
    errors.push(notSupported(`${path}.type`, schema.type, types));
  if (schema.default !== undefined && !context.allowDefaults) refuse("default", "must not be set here");
  if (schema.id) refuse("id", "is not supported");
  if (schema.additionalItems !== undefined) refuse("additionalItems", "is not supported");
  if (hasAny(schema.patternProperties)) refuse("patternProperties", "is not supported");
  if (hasAny(schema.definitions)) refuse("definitions", "is not supported");
  if (schema.dependencies !== undefined) refuse("dependencies", "is not supported");
  if (schema.$ref !== undefined) refuse("$ref", "is not supported");
  if (schema.type === "null") refuse("type", "must not be null; nullable says that null is allowed");
  if (Array.isArray(schema.items)) refuse("items", "must be one schema, not a list of schemas");
  if (context.insideMetadata && extensions(schema, context.prefix).embeddedResource)
    refuse(`${context.prefix}embedded-resource`, "must not be used within metadata");
  if (schema.uniqueItems === true) refuse("uniqueItems", "must not be true: it would cost the square of the length");
}

const hasAny = (members: object | undefined): boolean => members !== undefined && Object.keys(members).length > 0;

function* checkMembers(schema: JsonSchema, path: string, context: Context): Steps<void> {
  const { errors } = context;
  const below = { ...context, isRoot: false };
  const properties = schema.properties ?? {};
  const names = Object.keys(properties);
  if (schema.additionalProperties !== undefined) {
    const at = `${path}.additionalProperties`;
    const more = additionalSchema(schema);
    // Structs have properties, maps have additionalProperties; together they would forbid what clients do not know yet.
    if (names.length > 0 && schema.additionalProperties !== true)
      errors.push(forbidden(at, "must not be used together with properties"));
    // The name of an object is not known yet, so metadata cannot have defaults.
    const allowDefaults = context.allowDefaults && !context.insideMetadata;
    if (more !== undefined) yield* visit(more, at, { ...below, allowDefaults });
  }
  const isResource = context.isRoot || extensions(schema, context.prefix).embeddedResource;
  for (const name of names) {
    const isMetadata = isResource && (name === "metadata" || name === "apiVersion" || name === "kind");
    // The identity of an object cannot be omitted, so it needs no default.
    const inside = isMetadata
      ? { ...below, insideMetadata: true, allowDefaults: context.allowDefaults && !context.isRoot }
      : below;
    yield* visit(properties[name] as JsonSchema, `${path}.properties[${name}]`, inside); // by its own name
  }
  for (const [name, definition] of Object.entries(schema.definitions ?? {}))
    yield* visit(definition, `${path}.definitions[${name}]`, below);
  for (const [name, dependency] of Object.entries(schema.dependencies ?? {})) {
    // A list of names contains no schemas, and neither does null, which an empty list becomes.
    if (dependency !== null && !Array.isArray(dependency))
      yield* visit(dependency as JsonSchema, `${path}.dependencies[${name}]`, below);
  }
}

function* checkChoices(schema: JsonSchema, path: string, context: Context): Steps<void> {
  const inside = { ...context, isRoot: false };
  if (schema.not !== undefined) yield* visit(schema.not, `${path}.not`, inside);
  for (const keyword of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [index, inner] of (schema[keyword] ?? []).entries())
      yield* visit(inner, `${path}.${keyword}[${index}]`, inside);
  }
}

function* checkItems(schema: JsonSchema, path: string, context: Context): Steps<void> {
  const below = { ...context, isRoot: false };
  if (Array.isArray(schema.items)) {
    const items = schema.items as readonly JsonSchema[]; // by the line above
    for (const [index, inner] of items.entries()) yield* visit(inner, `${path}.items[${index}]`, below);
    return;
  }
  const items = itemSchema(schema);
  if (items !== undefined) yield* visit(items, `${path}.items`, below);
}

/** Every keyword that is not one of these few may be an extension. */
function mayHaveExtensions(schema: JsonSchema): boolean {
  for (const keyword in schema)
    if (keyword !== "type" && keyword !== "properties" && keyword !== "description") return true;
  return false;
}

function checkTopology(schema: JsonSchema, path: string, context: Context): void {
  const { prefix, errors } = context;
  if (!mayHaveExtensions(schema)) return;
  const { preserveUnknownFields, mapType, listType, listMapKeys } = extensions(schema, prefix);
  const mustBe = (type: string, extension: string) => {
    const detail = `must be ${type} with ${prefix}${extension}`;
    errors.push(schema.type ? invalid(`${path}.type`, schema.type, detail) : required(`${path}.type`, detail));
  };
  if (preserveUnknownFields === false)
    errors.push(invalid(`${path}.${prefix}preserve-unknown-fields`, false, "must be true or omitted"));
  if (mapType !== undefined && schema.type !== "object") mustBe("object", "map-type");
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular")
    errors.push(notSupported(`${path}.${prefix}map-type`, mapType, ["atomic", "granular"]));
  if (listType !== undefined && schema.type !== "array") mustBe("array", "list-type");
  else if (listType === "set" && context.atomicSets) addTo(errors, checkSet(schema, path, prefix));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType))
    errors.push(notSupported(`${path}.${prefix}list-type`, listType, ["atomic", "set", "map"]));
  if (listMapKeys.length > 0 && listType !== "map") {
    const detail = `must be map with ${prefix}list-map-keys`;
    const at = `${path}.${prefix}list-type`;
    errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType === "map") addTo(errors, checkListMap(schema, listMapKeys, path, prefix));
  if (context.keysNeeded && (listType === "set" || listType === "map"))
    addTo(errors, checkAlwaysThere(schema, listType, listMapKeys, path));
}

/** Items of a set are compared as wholes, so they must be replaced as wholes. */
function checkSet(schema: JsonSchema, path: string, prefix: string): FieldError[] {
  const items = itemSchema(schema);
  if (items === undefined) return [];
  const { listType, mapType } = extensions(items, prefix);
  const detail = `must be atomic as item of a list with ${prefix}list-type set`;
  if (items.type === "array" && listType !== undefined && listType !== "atomic")
    return [invalid(`${path}.items.${prefix}list-type`, listType, detail)];
  if (items.type === "object" && mapType !== "atomic")
    return [invalid(`${path}.items.${prefix}map-type`, mapType ?? null, detail)];
  return [];
}

function checkListMap(schema: JsonSchema, keys: readonly string[], path: string, prefix: string): FieldError[] {
  const errors: FieldError[] = [];
  const keysAt = `${path}.${prefix}list-map-keys`;
  if (keys.length === 0) errors.push(required(keysAt, "must not be empty for a list of type map"));
  if (schema.items === undefined) return [...errors, required(`${path}.items`, "must be given for a list of type map")];
  const items = itemSchema(schema);
  if (items === undefined)
    return [...errors, invalid(`${path}.items`, null, "must be one schema for a list of type map")];
  if (items.type !== "object")
    return [...errors, invalid(`${path}.items.type`, items.type ?? "", "must be object for a list of type map")];
  const known = new Set<string>();
  for (const key of keys) {
    const property = propertyOf(items, key);
    if (property === undefined) errors.push(invalid(keysAt, keys, "must all be names of properties of the items"));
    else if (property.type === "array" || property.type === "object")
      errors.push(invalid(`${path}.items.properties[${key}].type`, property.type, "must be a scalar to be a key"));
    if (known.has(key)) errors.push(invalid(keysAt, keys, "must not name a property twice"));
    known.add(key);
  }
  return errors;
}

function checkAlwaysThere(schema: JsonSchema, type: string, keys: readonly string[], path: string): FieldError[] {
  const items = itemSchema(schema);
  if (items === undefined) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true)
    errors.push(forbidden(`${path}.items.nullable`, `must not be true for a list of type ${type}`));
  const needed = new Set(items.required ?? []);
  for (const key of type === "map" ? keys : []) {
    const property = propertyOf(items, key);
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!needed.has(key) && property.default === undefined)
      errors.push(required(`${at}.default`, "a key must be required or have a default"));
    if (property.nullable === true) errors.push(forbidden(`${at}.nullable`, "a key must not be null"));
  }
  return errors;
}
