/**
 * What a definition must meet. v1 asks for more than v1beta1 did, and an update need not meet what the definition did not
 * meet before, so that old definitions stay writable.
 */

import { validateDefaults } from "../../../machinery/json-schema/defaults.ts";
import type { JsonSchema } from "../../../machinery/json-schema/json-schema.ts";
import { additionalSchema, itemSchema } from "../../../machinery/json-schema/json-schema.ts";
import { unsupportedKeyword, validateStructural } from "../../../machinery/json-schema/structural.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { CustomResourceDefinitionSpec } from "../v1beta1/custom-resource-definition.ts";
import { hasKnownReviewVersion } from "./validate-names.ts";
import { type SchemaRules, validateSchema } from "./validate-schema.ts";

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

export function rulesFor(
  { isV1 }: Request,
  old: CustomResourceDefinitionSpec | undefined,
  environment: Environment,
): DefinitionRules {
  const prefix = environment.vocabulary.extensionPrefix;
  const all: DefinitionRules = {
    prefix,
    allowDefaults: isV1 || (old !== undefined && hasDefaults(old)),
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
  /** Whether all old schemas meet one rule; the others are left aside. */
  const metBefore = (rule: Partial<SchemaRules>) =>
    schemas.every(
      (schema) =>
        validateSchema(schema, "", { ...lenient, prefix, ...rule }).length ===
        validateSchema(schema, "", { ...lenient, prefix }).length,
    );
  const isStructural = (schema: JsonSchema) =>
    unsupportedKeyword(schema, prefix) === undefined && validateStructural(schema, "", prefix).length === 0;
  const isPruned = (schema: JsonSchema) =>
    !isStructural(schema) ||
    validateDefaults(schema, "", { prefix, environment, pruned: true }).length ===
      validateDefaults(schema, "", { prefix, environment, pruned: false }).length;
  const hadSchemas =
    old.validation?.openAPIV3Schema !== undefined ||
    (old.versions ?? []).every(({ schema }) => schema?.openAPIV3Schema !== undefined);
  return {
    ...all,
    validTypes: all.validTypes && metBefore({ validTypes: true }),
    atomicSets: metBefore({ atomicSets: true }),
    keysNeeded: metBefore({ keysNeeded: true }),
    schemas: all.schemas && hadSchemas,
    structural: all.structural && schemas.every(isStructural),
    prunedDefaults: schemas.every(isPruned),
    knownReviewVersions: reviewVersions.length === 0 || hasKnownReviewVersion(reviewVersions),
  };
}

const lenient = { allowDefaults: true, validTypes: false, atomicSets: false, keysNeeded: false };

/** All schemas of a definition: that of all versions, and those of each. */
export function schemasOf({ validation, versions = [] }: CustomResourceDefinitionSpec): JsonSchema[] {
  return [validation, ...versions.map(({ schema }) => schema)]
    .map((one) => one?.openAPIV3Schema)
    .filter((schema) => schema !== undefined);
}

export const hasDefaults = (spec: CustomResourceDefinitionSpec): boolean =>
  schemasOf(spec).some((schema) => some(schema, (one) => one.default !== undefined));

/** Whether a schema uses what only structural schemas can. How an object is merged is not among it. */
export function hasExtensions(spec: CustomResourceDefinitionSpec, prefix: string): boolean {
  const isExtension = (keyword: string) => keyword.startsWith(prefix) && keyword !== `${prefix}map-type`;
  return schemasOf(spec).some((schema) => some(schema, (one) => Object.keys(one).some(isExtension)));
}

function some(schema: JsonSchema, ask: (schema: JsonSchema) => boolean): boolean {
  if (ask(schema)) return true;
  const { properties = {}, patternProperties = {}, definitions = {}, allOf = [], oneOf = [], anyOf = [] } = schema;
  const inner = [
    ...Object.values(properties),
    ...Object.values(patternProperties),
    ...Object.values(definitions),
    ...allOf,
    ...oneOf,
    ...anyOf,
    ...(Array.isArray(schema.items) ? (schema.items as readonly JsonSchema[]) : []),
    ...[itemSchema(schema), additionalSchema(schema), schema.not, schema.additionalItems].filter(isSchema),
    ...Object.values(schema.dependencies ?? {}).filter(isSchema),
  ];
  return inner.some((one) => some(one, ask));
}

/** Where a schema is allowed, true, false or a list of names may be allowed too. */
function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
