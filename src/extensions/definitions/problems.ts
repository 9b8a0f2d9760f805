/** Validation errors of a custom resource, in the order of v1.21; its metadata has been checked already. */

import type { Steps } from "../../base/time-slice.ts";
import { ruleProblems } from "../../cel/schema/rule-problems.ts";
import { validateResources } from "../../machinery/json-schema/embedded.ts";
import { repeatedItems } from "../../machinery/json-schema/list-types.ts";
import { validateValueInSteps, type Work } from "../../machinery/json-schema/value.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { addTo, type FieldError, type FieldErrors, noErrors } from "../../machinery/status/field-error.ts";
import type { DefinedVersion } from "./definition.ts";
import { type ScalePaths, scaleProblems } from "./scale.ts";

/** How many comparisons of values with schemas one object may take; a million take less than a second. */
export const objectChecksMax = 1_000_000;

export interface Rules {
  readonly version: DefinedVersion;
  readonly scale: ScalePaths | undefined;
}

/** The errors of the whole object. List items that were duplicates before may stay duplicates. */
export function* objectProblems(
  { version, scale }: Rules,
  object: ApiObject,
  old: ApiObject | undefined,
  environment: Environment,
): Steps<FieldErrors> {
  const { plan, structuralPlan } = version;
  const work: Work = { left: objectChecksMax, has: environment.has };
  const errors: FieldError[] =
    plan === undefined ? [] : yield* validateValueInSteps(plan, object, "", work, ratcheted(old, environment));
  if (scale !== undefined) addTo(errors, scaleProblems(scale, object, false));
  if (structuralPlan === undefined) return errors.map(ofRoot);
  yield;
  addTo(errors, validateResources(object, "", { plan: structuralPlan, isResource: false }, environment));
  yield;
  const repeated = repeatedItems(structuralPlan, object, "");
  if (repeated.length > 0 && (old === undefined || repeatedItems(structuralPlan, old, "").length === 0))
    addTo(errors, repeated);
  addTo(errors, yield* brokenRules(version, object, old, work, environment, environment.has("ratcheting")));
  return errors.map(ofRoot);
}

const ratcheted = (old: unknown, environment: Environment): unknown =>
  environment.has("ratcheting") ? old : undefined;

/** Rules see an object only if its values have the types and sizes that the schema promises. */
function* brokenRules(
  version: DefinedVersion,
  object: ApiObject,
  old: ApiObject | undefined,
  { isUnsafe }: Work,
  environment: Environment,
  isRatcheted: boolean,
): Steps<FieldErrors> {
  if (!environment.gates.enabled("CustomResourceValidationExpressions")) return noErrors;
  const tree = yield* version.rulesIn(environment.level);
  if (tree === undefined) return noErrors;
  if (isUnsafe !== true) return yield* ruleProblems(tree, object, old, { isRatcheted });
  const detail =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  return [{ reason: "FieldValueInvalid", field: "", message: `Invalid value: null: ${detail}` }];
}

/** The path that v1.21 gives for errors of the whole object. */
const ofRoot = (error: FieldError): FieldError => (error.field === "" ? { ...error, field: "<nil>" } : error);

/** The errors of a write through the status subresource: only the status counts, and rules. */
export function* statusProblems(
  { version, scale }: Rules,
  object: ApiObject,
  old: ApiObject,
  environment: Environment,
): Steps<FieldErrors> {
  const plan = version.plan?.property("status");
  const { status } = object;
  const path = environment.has("bareStatusPaths") ? "" : "status";
  const work: Work = { left: objectChecksMax, has: environment.has };
  const errors: FieldError[] =
    plan === undefined || status === undefined
      ? []
      : yield* validateValueInSteps(plan, status, path, work, ratcheted(old["status"], environment));
  if (scale !== undefined) addTo(errors, scaleProblems(scale, object, true));
  addTo(errors, yield* brokenRules(version, object, old, work, environment, environment.has("ratchetedStatus")));
  return errors.map(ofRoot);
}
