/** Validation errors of a custom resource, in the order of v1.21; its metadata has been checked already. */

import type { Steps } from "../../base/time-slice.ts";
import { validateResources } from "../../machinery/json-schema/embedded.ts";
import { repeatedItems } from "../../machinery/json-schema/list-types.ts";
import { validateValue, validateValueInSteps } from "../../machinery/json-schema/value.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Environment } from "../../machinery/schema/schema.ts";
import { addTo, type FieldError, type FieldErrors } from "../../machinery/status/field-error.ts";
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
  const errors: FieldError[] =
    plan === undefined ? [] : yield* validateValueInSteps(plan, object, "", { left: objectChecksMax });
  if (scale !== undefined) addTo(errors, scaleProblems(scale, object, false));
  if (structuralPlan === undefined) return errors.map(ofRoot);
  yield;
  addTo(errors, validateResources(object, "", { plan: structuralPlan, isResource: false }, environment));
  yield;
  const repeated = repeatedItems(structuralPlan, object, "");
  if (repeated.length > 0 && (old === undefined || repeatedItems(structuralPlan, old, "").length === 0))
    addTo(errors, repeated);
  return errors.map(ofRoot);
}

/** The path that v1.21 gives for errors of the whole object. */
const ofRoot = (error: FieldError): FieldError => (error.field === "" ? { ...error, field: "<nil>" } : error);

/** The errors of a write through the status subresource: only the status counts. */
export function statusProblems({ version, scale }: Rules, object: ApiObject): FieldErrors {
  const plan = version.plan?.property("status");
  const { status } = object;
  const errors: FieldError[] =
    plan === undefined || status === undefined ? [] : validateValue(plan, status, "status", { left: objectChecksMax });
  if (scale !== undefined) addTo(errors, scaleProblems(scale, object, true));
  return errors;
}
