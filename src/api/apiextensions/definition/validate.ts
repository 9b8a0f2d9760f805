/** Checks of a definition as a whole. Paths are those of v1beta1 whichever version was sent, as v1.21 reports them. */

import type { Steps } from "../../../base/time-slice.ts";
import { sameJson } from "../../../machinery/json/json-value.ts";
import { checksInSteps } from "../../../machinery/schema/checks-in-steps.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import {
  addTo,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  required,
  together,
} from "../../../machinery/status/field-error.ts";
import { includesKnown } from "../../admissionregistration/v1/list-rules.ts";
import { immutable, validateComposedName } from "../../validation.ts";
import type { DefinitionStatus } from "../v1/definition-parts.ts";
import {
  type CustomResourceDefinitionSpec,
  type CustomResourceDefinitionVersion,
  DefinitionNames,
} from "../v1beta1/definition-spec.ts";
import { validateApproval } from "./approval.ts";
import { isUsableBundle } from "./authority-bundle.ts";
import { validateIndexes } from "./indexes.ts";
import { type DefinitionRules, formatWarnings, hasDefaults, hasExtensions, type Request, rulesFor } from "./rules.ts";
import { validationSteps } from "./schema-steps.ts";
import { nameRelations } from "./validate-names.ts";
import { selectableSteps } from "./validate-selectable.ts";

interface DefinitionLike {
  readonly metadata: ObjectMeta;
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: DefinitionStatus;
}

/** The checks of definitions that were sent in one version. */
export function definitionChecks(request: Request) {
  return {
    ...checksInSteps((definition: DefinitionLike, old: DefinitionLike | undefined, environment) =>
      old === undefined
        ? newDefinitionSteps(definition, request, environment)
        : changedDefinitionSteps(definition, old, request, environment),
    ),
    warnings: ({ spec }: DefinitionLike, old: DefinitionLike | undefined, environment: Environment) =>
      sameJson(spec, old?.spec) ? [] : formatWarnings(spec, old?.spec, environment),
  };
}

function* newDefinitionSteps(
  definition: DefinitionLike,
  request: Request,
  environment: Environment,
): Steps<FieldErrors> {
  const { metadata, spec } = definition;
  const name = `${spec.names.plural}.${spec.group}`;
  return together(
    validateComposedName(metadata, name, "must be spec.names.plural, a dot and spec.group"),
    yield* specSteps(spec, yield* rulesFor(request, undefined, environment)),
    validateRest(definition, undefined, request, environment),
  );
}

function* changedDefinitionSteps(
  definition: DefinitionLike,
  old: DefinitionLike,
  request: Request,
  environment: Environment,
): Steps<FieldErrors> {
  const [next, before] = [definition.spec, old.spec];
  const established = (old.status?.conditions ?? []).some(
    ({ type, status }) => type === "Established" && status === "True",
  );
  return together(
    yield* changedSpecSteps(next, before, request, environment),
    established ? immutable("spec.scope", next.scope, before.scope) : noErrors,
    established ? immutable("spec.names.kind", next.names.kind, before.names.kind) : noErrors,
    established ? validateBundle(next, before, environment) : noErrors,
    validateRest(definition, old, request, environment),
  );
}

/** A bundle of authorities that works, or none, must not become one without certificates: objects could not be converted any more. */
function validateBundle(
  { conversion }: CustomResourceDefinitionSpec,
  { conversion: before }: CustomResourceDefinitionSpec,
  environment: Environment,
): FieldErrors {
  const bundle = conversion?.webhookClientConfig?.caBundle ?? "";
  if (isUsableBundle(bundle, environment)) return noErrors;
  if (!isUsableBundle(before?.webhookClientConfig?.caBundle ?? "", environment)) return noErrors;
  return [invalid("spec.conversion.webhookClientConfig.caBundle", bundle, "must contain certificates in PEM")];
}

/**
 * What was kept before may be kept again, and most changes meet all rules. Only where one does not, it is asked which of
 * them the old definition met: that takes several looks at all of its schemas.
 */
function* changedSpecSteps(
  next: CustomResourceDefinitionSpec,
  before: CustomResourceDefinitionSpec,
  request: Request,
  environment: Environment,
): Steps<FieldErrors> {
  if (sameJson(next, before)) return noErrors;
  const errors = yield* specSteps(next, yield* rulesFor(request, undefined, environment));
  if (errors.length === 0) return errors;
  yield;
  return yield* specSteps(next, yield* rulesFor(request, before, environment));
}

const checkNames = checker(DefinitionNames, nameRelations);

export function validateDefinitionStatus(
  { status }: { metadata: ObjectMeta; status?: DefinitionStatus },
  _old: unknown,
  environment: Environment,
) {
  return checkNames(status?.acceptedNames, "status.acceptedNames", environment);
}

function validateRest(
  definition: DefinitionLike,
  old: DefinitionLike | undefined,
  request: Request,
  environment: Environment,
): FieldError[] {
  const { spec, status } = definition;
  // Violations that existed before are tolerated, so that old definitions stay writable.
  const keptBefore = old?.spec.preserveUnknownFields === true;
  const keeps = request.isV1 && !keptBefore && spec.preserveUnknownFields !== false;
  return [
    ...checkNames(status?.acceptedNames, "status.acceptedNames", environment),
    ...validateStoredVersions(status?.storedVersions ?? [], spec.versions ?? []),
    ...(request.isV1 ? validateApproval(definition, old, environment) : []),
    ...validateIndexes(definition.metadata),
    ...(keeps ? [invalid("spec.preserveUnknownFields", true, "must be false")] : []),
  ];
}

function* specSteps(spec: CustomResourceDefinitionSpec, given: DefinitionRules): Steps<FieldErrors> {
  const { versions = [] } = spec;
  const errors: FieldError[] = [];
  const prunes = spec.preserveUnknownFields === false;
  addTo(errors, validateSchemasGiven(spec, given, prunes));
  const usesDefaults = given.allowDefaults && (yield* hasDefaults(spec));
  if (usesDefaults && !prunes)
    errors.push(invalid("spec.preserveUnknownFields", true, "must be false where schemas have defaults"));
  const structural = given.structural || prunes || usesDefaults || (yield* hasExtensions(spec, given.prefix));
  const rules = { ...given, structural };

  addTo(errors, yield* versionSteps(spec, rules));
  const hasStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  addTo(
    errors,
    yield* validationSteps(spec.validation, "spec.validation", {
      ...rules,
      hasStatus: hasStatus || spec.subresources?.status !== undefined,
    }),
  );
  addTo(errors, yield* selectableSteps(spec, spec.validation, "spec", rules.prefix));
  const { conversion } = spec;
  if (conversion !== undefined && conversion.strategy !== "None" && !prunes)
    errors.push(
      invalid("spec.conversion.strategy", conversion.strategy, "must be None unless preserveUnknownFields is false"),
    );
  const { strategy, conversionReviewVersions: reviews = [] } = conversion ?? { strategy: "None" };
  if (strategy === "Webhook" && reviews.length > 0 && given.knownReviewVersions)
    addTo(errors, includesKnown(reviews, "spec.conversion.conversionReviewVersions"));
  return errors;
}

/** Without a schema everything would be pruned; and v1 always requires one. */
function validateSchemasGiven(spec: CustomResourceDefinitionSpec, rules: DefinitionRules, prunes: boolean) {
  if (spec.validation?.openAPIV3Schema !== undefined || !(rules.schemas || prunes)) return [];
  return (spec.versions ?? []).flatMap(({ schema, served }, index) =>
    schema?.openAPIV3Schema === undefined && (rules.schemas || served)
      ? [required(`spec.versions[${index}].schema.openAPIV3Schema`, "schemas are required")]
      : [],
  );
}

function* versionSteps(spec: CustomResourceDefinitionSpec, rules: DefinitionRules): Steps<FieldErrors> {
  const { versions = [], version = "" } = spec;
  const errors: FieldError[] = [];
  for (const [index, one] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    const hasStatus = (spec.subresources ?? one.subresources)?.status !== undefined;
    addTo(errors, yield* validationSteps(one.schema, `${path}.schema`, { ...rules, hasStatus }));
    addTo(errors, yield* selectableSteps(one, one.schema, path, rules.prefix));
  }
  yield;
  addTo(errors, validateOnce(spec, versions));
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid("spec.versions", versions.length, "must have unique names"));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid("spec.versions", versions.length, "exactly one must be the storage version"));
  if (version !== "") {
    const [first] = versions;
    if (first !== undefined && first.name !== version)
      errors.push(invalid("spec.version", version, "must be the name of the first of spec.versions"));
  }
  return errors;
}

/** Parts that all versions share must be set at the top only. */
function validateOnce(
  spec: CustomResourceDefinitionSpec,
  versions: readonly CustomResourceDefinitionVersion[],
): FieldError[] {
  const parts = [
    ["validation", "schema"],
    ["subresources", "subresources"],
    ["additionalPrinterColumns", "additionalPrinterColumns"],
    ["selectableFields", "selectableFields"],
  ] as const;
  return parts.flatMap(([top, each]) => {
    const values = versions.map((version) => version[each]);
    const [first] = values;
    const errors: FieldError[] = [];
    if (spec[top] !== undefined && values.some((value) => value !== undefined))
      errors.push(forbidden(`spec.${top}`, "must be given either at the top or for each version"));
    if (first !== undefined && values.every((value) => sameJson(value, first)))
      errors.push(
        invalid("spec.versions", versions.length, `must not all have the same ${each}; set spec.${top} instead`),
      );
    return errors;
  });
}

function validateStoredVersions(
  stored: readonly string[],
  versions: readonly CustomResourceDefinitionVersion[],
): FieldError[] {
  const path = "status.storedVersions";
  if (stored.length === 0) return [invalid(path, stored, "must have at least one")];
  const names = new Set(versions.map(({ name }) => name));
  const last = new Map(stored.map((name, index) => [name, index]));
  const found = new Set<string>();
  return [
    ...versions
      // The second of two versions with one name is not found again.
      .filter(({ name, storage }) => {
        const isMissing = storage && (!last.has(name) || found.has(name));
        found.add(name);
        return isMissing;
      })
      .map(({ name }) => invalid(path, stored, `must have the storage version ${name}`)),
    // A duplicate is reported once.
    ...stored.flatMap((name, index) =>
      names.has(name) || last.get(name) !== index
        ? []
        : [invalid(`${path}[${index}]`, name, "must be one of spec.versions")],
    ),
  ];
}
