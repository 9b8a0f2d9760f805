/**
 * What a definition must meet. v1 asks for more than v1beta1 did, and an update need not meet what the definition did not
 * meet before, so that old definitions stay writable.
 */

import { validateDefaults } from "../../../machinery/json-schema/defaults.ts";
import type { JsonSchema } from "../../../machinery/json-schema/json-schema.ts";
import { additionalSchema, itemSchema } from "../../../machinery/json-schema/json-schema.ts";
import { unsupportedKeyword, validateStructural } from "../../../machinery/json-schema/structural.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { CustomResourceDefinitionSpec } from "./custom-resource-definition.ts";
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
  readonly knownReviewVersions: boolean;
}

export function rulesFor(
  { isV1 }: Request,
  old: CustomResourceDefinitionSpec | undefined,
  { vocabulary: { extensionPrefix: prefix } }: Environment,
): DefinitionRules {
  const all: DefinitionRules = {
    prefix,
    allowDefaults: isV1 || (old !== undefined && hasDefaults(old)),
    validTypes: isV1,
    atomicSets: true,
    keysNeeded: true,
    schemas: isV1,
    structural: isV1,
    prunedDefaults: true,
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
    unsupportedKeyword(schema) === undefined && validateStructural(schema, "", prefix).length === 0;
  const isPruned = (schema: JsonSchema) =>
    !isStructural(schema) ||
    validateDefaults(schema, "", { prefix, pruned: true }).length ===
      validateDefaults(schema, "", { prefix, pruned: false }).length;
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

function schemasOf({ validation, versions = [] }: CustomResourceDefinitionSpec): JsonSchema[] {
  return [validation, ...versions.map(({ schema }) => schema)]
    .map((one) => one?.openAPIV3Schema)
    .filter((schema) => schema !== undefined);
}

export const hasDefaults = (spec: CustomResourceDefinitionSpec): boolean =>
  schemasOf(spec).some((schema) => some(schema, (one) => one.default !== undefined));

/** Whether a schema uses what only structural schemas can. */
export function hasExtensions(spec: CustomResourceDefinitionSpec, prefix: string): boolean {
  return schemasOf(spec).some((schema) =>
    some(schema, (one) => Object.keys(one).some((keyword) => keyword.startsWith(prefix))),
  );
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
    ...[itemSchema(schema), additionalSchema(schema), schema.not].filter((one) => one !== undefined),
  ];
  return inner.some((one) => some(one, ask));
}
