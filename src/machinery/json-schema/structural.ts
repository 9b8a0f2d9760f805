/**
 * Whether a schema is structural: every field has one type, declared in place, so that pruning and defaults know it.
 * Schemas inside anyOf, oneOf, allOf and not may only restrict values, never declare fields.
 */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { additionalSchema, extensions, itemSchema, type JsonSchema, propertyOf } from "../json/json-schema.ts";
import { addTo, type FieldError, forbidden, invalid, problemsFoundMax, required } from "../status/field-error.ts";
import { checkPatterns } from "./check-patterns.ts";

type Level = "root" | "item" | "field";

interface Report {
  readonly prefix: string;
  /** The problems of the whole schema, so that those found deep inside are not copied from level to level. */
  readonly errors: FieldError[];
  readonly pace: Pace;
}

/** All problems of the schema of a whole object. Unsupported keywords have already been checked (`unsupportedKeyword`). */
export function* validateStructural(schema: JsonSchema, path: string, prefix: string): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  yield* checkNode(schema, "root", path, { prefix, errors, pace: new Pace() });
  addTo(errors, yield* checkPatterns(schema, path));
  addTo(errors, checkComplete(schema, schema, path, path));
  return errors;
}

/** The first keyword that no structural schema has; undefined: there is none. */
export function* unsupportedKeyword(schema: JsonSchema, prefix: string, pace = new Pace()): Steps<string | undefined> {
  if (pace.isDue) yield;
  for (const name of ["id", "$schema", "$ref"] as const) if (schema[name]) return name;
  for (const name of ["additionalItems", "dependencies"] as const) if (schema[name] !== undefined) return name;
  for (const name of ["patternProperties", "definitions"] as const) {
    const members = schema[name];
    if (members !== undefined && Object.keys(members).length > 0) return name;
  }
  if (Array.isArray(schema.items)) return "items";
  if (extensions(schema, prefix).preserveUnknownFields === false) return `${prefix}preserve-unknown-fields`;
  const { properties } = schema;
  // Not a list of all values: of a map of thousands that alone would take several time slices.
  for (const name of properties === undefined ? noNames : Object.keys(properties)) {
    const found = yield* unsupportedKeyword(properties?.[name] as JsonSchema, prefix, pace); // by its own name
    if (found !== undefined) return found;
  }
  for (const inner of otherSchemas(schema)) {
    const found = yield* unsupportedKeyword(inner, prefix, pace);
    if (found !== undefined) return found;
  }
  return undefined;
}

const noNames: readonly string[] = [];
const nothing: readonly JsonSchema[] = [];

/** The schemas inside a schema that are not those of its properties. */
function otherSchemas(schema: JsonSchema): readonly JsonSchema[] {
  const { allOf, oneOf, anyOf, not } = schema;
  const single = [itemSchema(schema), additionalSchema(schema), not].filter((inner) => inner !== undefined);
  if (allOf === undefined && oneOf === undefined && anyOf === undefined && single.length === 0) return nothing;
  return [...(allOf ?? nothing), ...(oneOf ?? nothing), ...(anyOf ?? nothing), ...single];
}

function* checkNode(schema: JsonSchema, level: Level, path: string, report: Report): Steps<void> {
  const { prefix, errors } = report;
  if (errors.length >= problemsFoundMax) return;
  if (report.pace.isDue) yield;
  const type = schema.type ?? "";
  const items = itemSchema(schema);
  const known = extensions(schema, prefix);
  const keeps = known.preserveUnknownFields === true;
  if (type === "array" && items === undefined) errors.push(required(`${path}.items`));
  if (items !== undefined) yield* checkNode(items, "item", `${path}.items`, report);
  const { properties } = schema;
  if (properties !== undefined)
    for (const name of Object.keys(properties))
      yield* checkNode(properties[name] as JsonSchema, "field", `${path}.properties[${name}]`, report); // by its own name
  if (schema.additionalProperties !== undefined) yield* checkAdditional(schema, level, path, report);
  if (known.intOrString && keeps)
    errors.push(invalid(`${path}.${prefix}preserve-unknown-fields`, true, `must be false with ${prefix}int-or-string`));
  if (known.intOrString && known.embeddedResource)
    errors.push(invalid(`${path}.${prefix}embedded-resource`, true, `must be false with ${prefix}int-or-string`));
  if (hasRestrictions(schema)) checkRestrictions(schema, typeChoices(schema), path, report);

  if (known.embeddedResource && type !== "object") {
    const detail = `must be object with ${prefix}embedded-resource`;
    errors.push(type === "" ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
  } else if (type === "" && !known.intOrString && !keeps) {
    errors.push(required(`${path}.type`, "must not be empty"));
  }
  if (known.embeddedResource && schema.additionalProperties !== undefined)
    errors.push(forbidden(`${path}.additionalProperties`, `must not be used with ${prefix}embedded-resource`));
  if (level === "root" && type !== "" && type !== "object")
    errors.push(invalid(`${path}.type`, type, "must be object at the root"));
  if (level === "root" || known.embeddedResource) addTo(errors, checkResourceMembers(schema, level, path));
  if (known.embeddedResource && !keeps && Object.keys(schema.properties ?? {}).length === 0) {
    const detail = `must not be empty with ${prefix}embedded-resource without ${prefix}preserve-unknown-fields`;
    errors.push(required(`${path}.properties`, detail));
  }
}

function* checkAdditional(schema: JsonSchema, level: Level, path: string, report: Report): Steps<void> {
  const at = `${path}.additionalProperties`;
  const more = additionalSchema(schema);
  if (level === "root") report.errors.push(forbidden(at, "must not be used at the root"));
  if (more !== undefined) yield* checkNode(more, "field", at, report);
}

/** apiVersion, kind and metadata have the same shape in all objects; only the metadata's name may be restricted, at the root. */
function checkResourceMembers(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const expect = (name: string, wanted: string) => {
    const property = propertyOf(schema, name);
    if (property !== undefined && property.type !== wanted)
      errors.push(invalid(`${path}.properties[${name}].type`, property.type ?? "", `must be ${wanted}`));
    return property;
  };
  const metadata = expect("metadata", "object");
  expect("apiVersion", "string");
  expect("kind", "string");
  if (metadata !== undefined && level === "root" && saysMore(metadata))
    errors.push(forbidden(`${path}.properties[metadata]`, "must not say anything but name and generateName"));
  return errors;
}

/** Keywords of metadata at the root that restrict nothing, or that are checked elsewhere. */
const silent: ReadonlySet<string> = new Set(["type", "default", "properties", "externalDocs", "example"]);

function saysMore(metadata: JsonSchema): boolean {
  const other = Object.keys(metadata.properties ?? {}).some((name) => name !== "name" && name !== "generateName");
  return other || Object.keys(metadata).some((keyword) => !silent.has(keyword));
}

/**
 * The choices with which int-or-string names its two types: the only places where a choice may name types. v1.21 accepts them
 * without the extension too.
 */
function typeChoices({ anyOf, allOf }: JsonSchema): ReadonlySet<unknown> {
  const isIt = (choice: readonly JsonSchema[] | undefined) =>
    choice?.length === 2 && isOnlyType(choice[0], "integer") && isOnlyType(choice[1], "string");
  return new Set([anyOf, allOf?.[0]?.anyOf].filter(isIt));
}

const isOnlyType = (schema: JsonSchema | undefined, type: string): boolean =>
  schema?.type === type && Object.keys(schema).length === 1;

const hasRestrictions = ({ anyOf, allOf, oneOf, not }: JsonSchema): boolean =>
  anyOf !== undefined || allOf !== undefined || oneOf !== undefined || not !== undefined;

/** `excepted` are choices that are not checked. */
function checkRestrictions(schema: JsonSchema, excepted: ReadonlySet<unknown>, path: string, report: Report): void {
  for (const choice of ["anyOf", "allOf", "oneOf"] as const) {
    if (excepted.has(schema[choice])) continue;
    for (const [index, alternative] of (schema[choice] ?? []).entries()) {
      checkRestriction(alternative, excepted, `${path}.${choice}[${index}]`, report);
    }
  }
  if (schema.not !== undefined) checkRestriction(schema.not, excepted, `${path}.not`, report);
}

const none: ReadonlySet<unknown> = new Set();

const declaring = ["type", "additionalProperties", "default", "title", "description", "nullable"] as const;

function checkRestriction(schema: JsonSchema, excepted: ReadonlySet<unknown>, path: string, report: Report): void {
  const { prefix, errors } = report;
  checkRestrictions(schema, excepted, path, report);
  const items = itemSchema(schema);
  if (items !== undefined) checkRestriction(items, none, `${path}.items`, report);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkRestriction(property, none, `${path}.properties[${name}]`, report);
    if (name === "metadata") errors.push(forbidden(`${path}.properties[metadata]`, "must not be restricted here"));
  }
  const refuse = (keyword: string) => errors.push(forbidden(`${path}.${keyword}`, "must be omitted to be structural"));
  for (const keyword of declaring) if (schema[keyword] !== undefined) refuse(keyword);
  const known = extensions(schema, prefix);
  if (known.preserveUnknownFields === true) refuse(`${prefix}preserve-unknown-fields`);
  if (known.embeddedResource) refuse(`${prefix}embedded-resource`);
  if (known.intOrString) refuse(`${prefix}int-or-string`);
  if (known.listMapKeys.length > 0) refuse(`${prefix}list-map-keys`);
  if (known.listType !== undefined) refuse(`${prefix}list-type`);
  if (known.mapType !== undefined) refuse(`${prefix}map-type`);
  if (Object.hasOwn(schema, `${prefix}validations`)) refuse(`${prefix}validations`);
}

/** Fields that a choice at the root mentions must be declared outside it. v1.21 checks the choices of the root only. */
function checkComplete(restriction: JsonSchema, schema: JsonSchema, path: string, because: string): FieldError[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = restriction;
  const choices = [
    ...allOf.map((inner, index) => ({ inner, at: `${because}.allOf[${index}]` })),
    ...anyOf.map((inner, index) => ({ inner, at: `${because}.anyOf[${index}]` })),
    ...oneOf.map((inner, index) => ({ inner, at: `${because}.oneOf[${index}]` })),
    ...(not === undefined ? [] : [{ inner: not, at: `${because}.not` }]),
  ];
  return choices.flatMap(({ inner, at }) => [
    ...checkComplete(inner, schema, path, at),
    ...checkDeclared(inner, schema, path, at),
  ]);
}

function checkDeclared(restriction: JsonSchema, schema: JsonSchema, path: string, because: string): FieldError[] {
  const below = (inner: JsonSchema, declared: JsonSchema | undefined, at: string, from: string) =>
    declared === undefined
      ? [required(at, `it is restricted in ${from}`)]
      : [...checkComplete(inner, declared, at, from), ...checkDeclared(inner, declared, at, from)];
  const items = itemSchema(restriction);
  return [
    ...(items === undefined ? [] : below(items, itemSchema(schema), `${path}.items`, `${because}.items`)),
    ...Object.entries(restriction.properties ?? {}).flatMap(([name, inner]) =>
      below(inner, propertyOf(schema, name), `${path}.properties[${name}]`, `${because}.properties[${name}]`),
    ),
  ];
}
