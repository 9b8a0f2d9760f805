/**
 * The rules of a definition. v1 is stricter than v1beta1, and an update need not meet rules that the definition did not meet
 * before, so that old definitions stay writable.
 */

import { checkAnswer, checksCaches } from "../../../base/cache-check.ts";
import { finish, Pace, type Steps } from "../../../base/time-slice.ts";
import { additionalSchema, itemSchema, type JsonSchema } from "../../../machinery/json/json-schema.ts";
import { validateDefaults } from "../../../machinery/json-schema/defaults.ts";
import { isCheckedFormat } from "../../../machinery/json-schema/formats.ts";
import { type SchemaRules, validateSchema } from "../../../machinery/json-schema/keywords.ts";
import { unsupportedKeyword, validateStructural } from "../../../machinery/json-schema/structural.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { speaksKnown } from "../../admissionregistration/v1/list-rules.ts";
import type { CustomResourceDefinitionSpec } from "../v1beta1/definition-spec.ts";

export interface Request {
  /** Whether the definition was sent as v1. */
  readonly isV1: boolean;
}

export interface DefinitionRules extends SchemaRules {
  /** Whether every version must have a schema. */
  readonly schemas: boolean;
  readonly structural: boolean;
  readonly prunedDefaults: boolean;
  readonly environment: Environment;
  readonly knownReviewVersions: boolean;
}

export function* rulesFor(
  { isV1 }: Request,
  old: CustomResourceDefinitionSpec | undefined,
  environment: Environment,
): Steps<DefinitionRules> {
  const prefix = environment.vocabulary.extensionPrefix;
  const all: DefinitionRules = {
    prefix,
    allowDefaults: isV1 || (old !== undefined && (yield* hasDefaults(old))),
    validTypes: isV1,
    atomicSets: true,
    keysNeeded: true,
    schemas: isV1,
    structural: isV1,
    prunedDefaults: true,
    environment,
    knownReviewVersions: true,
  };
  if (old === undefined) return all;
  const schemas = schemasOf(old);
  const reviewVersions = old.conversion?.conversionReviewVersions ?? [];
  /** Whether all old schemas meet one rule. */
  const metBefore = (rule: Partial<SchemaRules>) => every(schemas, (schema) => meets(schema, prefix, rule));
  const hadSchemas =
    old.validation?.openAPIV3Schema !== undefined ||
    (old.versions ?? []).every(({ schema }) => schema?.openAPIV3Schema !== undefined);
  return {
    ...all,
    validTypes: all.validTypes && (yield* metBefore({ validTypes: true })),
    atomicSets: yield* metBefore({ atomicSets: true }),
    keysNeeded: yield* metBefore({ keysNeeded: true }),
    schemas: all.schemas && hadSchemas,
    structural: all.structural && (yield* every(schemas, (schema) => isStructural(schema, prefix))),
    prunedDefaults: yield* every(schemas, (schema) => isPruned(schema, prefix, environment)),
    knownReviewVersions: reviewVersions.length === 0 || speaksKnown(reviewVersions),
  };
}

function* every<T>(all: readonly T[], is: (one: T) => Steps<boolean>): Steps<boolean> {
  for (const one of all) if (!(yield* is(one))) return false;
  return true;
}

function* meets(schema: JsonSchema, prefix: string, rule: Partial<SchemaRules>): Steps<boolean> {
  const strict = yield* validateSchema(schema, "", { ...lenient, prefix, ...rule });
  return strict.length === (yield* validateSchema(schema, "", { ...lenient, prefix })).length;
}

/** Whether a schema of a definition is structural. */
export function* isStructural(schema: JsonSchema, prefix: string): Steps<boolean> {
  if ((yield* unsupportedKeyword(schema, prefix)) !== undefined) return false;
  return (yield* validateStructural(schema, "", prefix)).length === 0;
}

function* isPruned(schema: JsonSchema, prefix: string, environment: Environment): Steps<boolean> {
  if (!(yield* isStructural(schema, prefix))) return true;
  const strict = yield* validateDefaults(schema, "", { prefix, environment, pruned: true });
  return strict.length === (yield* validateDefaults(schema, "", { prefix, environment, pruned: false })).length;
}

const lenient = { allowDefaults: true, validTypes: false, atomicSets: false, keysNeeded: false };

/** All schemas of a definition: that of all versions, and those of each. */
export function schemasOf({ validation, versions = [] }: CustomResourceDefinitionSpec): JsonSchema[] {
  return [validation, ...versions.map(({ schema }) => schema)]
    .map((one) => one?.openAPIV3Schema)
    .filter((schema) => schema !== undefined);
}

/** By schema, which is never changed: the result is needed several times while a definition is written. */
const withDefaults = new WeakMap<JsonSchema, boolean>();

export function* hasDefaults(spec: CustomResourceDefinitionSpec): Steps<boolean> {
  for (const schema of schemasOf(spec)) {
    const known = withDefaults.get(schema);
    if (checksCaches && known !== undefined)
      checkAnswer("schemas with defaults", known, yield* some(schema, (one) => one.default !== undefined));
    const has = known ?? (yield* some(schema, (one) => one.default !== undefined));
    withDefaults.set(schema, has);
    if (has) return true;
  }
  return false;
}

/** Whether a schema uses features of structural schemas only. The merge strategy of an object is not one. */
export function* hasExtensions(spec: CustomResourceDefinitionSpec, prefix: string): Steps<boolean> {
  const isExtension = (keyword: string) => keyword.startsWith(prefix) && keyword !== `${prefix}map-type`;
  for (const schema of schemasOf(spec))
    if (yield* some(schema, (one) => Object.keys(one).some(isExtension))) return true;
  return false;
}

/** The first release that warns of formats which no value is checked against. */
const formatWarningsSince = "1.34";
/** How many of them are named. */
const formatsNamedMax = 20;

/** Warnings about formats that are new in a definition, and that no value is checked against. */
export function formatWarnings(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
  environment: Environment,
): readonly string[] {
  if (!environment.since(formatWarningsSince)) return [];
  const known = old === undefined ? new Set<string>() : unknownFormats(old, environment);
  return [...unknownFormats(spec, environment)]
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(spec: CustomResourceDefinitionSpec, environment: Environment): ReadonlySet<string> {
  const found = new Set<string>();
  const isEnough = ({ type, format = "" }: JsonSchema) => {
    if (format !== "" && !isKnownFormat(type, format, environment)) found.add(format);
    return found.size >= formatsNamedMax;
  };
  for (const schema of schemasOf(spec)) if (finish(some(schema, isEnough))) break;
  return found;
}

/** Objects, lists and booleans have none. */
function isKnownFormat(type: JsonSchema["type"], format: string, environment: Environment): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  const isText = type === undefined || type === "" || type === "string";
  return isText && isCheckedFormat(format, environment.has);
}

function* some(schema: JsonSchema, ask: (schema: JsonSchema) => boolean, pace = new Pace()): Steps<boolean> {
  if (ask(schema)) return true;
  if (pace.isDue) yield;
  const { properties } = schema;
  // Not a list of all values: of a map of thousands that alone would take several time slices.
  for (const name of properties === undefined ? noNames : Object.keys(properties))
    if (yield* some(properties?.[name] as JsonSchema, ask, pace)) return true; // by its own name
  for (const inner of othersIn(schema)) if (yield* some(inner, ask, pace)) return true;
  return false;
}

const noNames: readonly string[] = [];
const leaf: readonly JsonSchema[] = [];

/** The schemas inside a schema that are not those of its properties. */
function othersIn(schema: JsonSchema): readonly JsonSchema[] {
  const { patternProperties = {}, definitions = {}, allOf = [], oneOf = [], anyOf = [] } = schema;
  if (onlyPlain(schema)) return leaf;
  return [
    ...Object.values(patternProperties),
    ...Object.values(definitions),
    ...allOf,
    ...oneOf,
    ...anyOf,
    ...(Array.isArray(schema.items) ? (schema.items as readonly JsonSchema[]) : []),
    ...[itemSchema(schema), additionalSchema(schema), schema.not, schema.additionalItems].filter(isSchema),
    ...Object.values(schema.dependencies ?? {}).filter(isSchema),
  ];
}

/** Whether the schema has only common keywords, so that only its properties are schemas. */
function onlyPlain(schema: JsonSchema): boolean {
  for (const keyword in schema)
    if (keyword !== "type" && keyword !== "properties" && keyword !== "description") return false;
  return true;
}

/** Where a schema is allowed, true, false or a list of names may be allowed too. */
function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
