/** The expressions of policies that refuse requests: they are compiled before a policy is stored. */

import type { Steps } from "../../../base/time-slice.ts";
import { releaseOfNew } from "../../../cel/new-expressions.ts";
import type { PolicyNames } from "../../../cel/schema/policy-environment.ts";
import { isQualifiedName } from "../../../machinery/meta/names.ts";
import { checksInSteps } from "../../../machinery/schema/checks-in-steps.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ApiObject } from "../../../machinery/schema/kind.ts";
import {
  duplicate,
  type FieldError,
  type FieldErrors,
  invalid,
  required,
} from "../../../machinery/status/field-error.ts";
import { expressionSteps, matchConditionSteps, ofType, variableSteps } from "./match-resources.ts";
import { auditAnnotationsMax, type ValidatingAdmissionPolicySpec, valueExpressionBytesMax } from "./policy-spec.ts";

interface Policy extends ApiObject {
  readonly spec: ValidatingAdmissionPolicySpec;
}

export const policyChecks = checksInSteps((policy: Policy, _old, environment) => policySteps(policy, environment));

function* policySteps({ metadata, spec }: Policy, environment: Environment): Steps<FieldErrors> {
  const { paramKind, validations = [], auditAnnotations = [] } = spec;
  const names: PolicyNames = { release: releaseOfNew(environment), hasParams: paramKind !== undefined };
  const errors: FieldError[] = [];
  errors.push(...(yield* matchConditionSteps(spec.matchConditions, "spec.matchConditions", names)));
  const found = yield* variableSteps(spec.variables ?? [], names);
  errors.push(...found.errors);
  const all: PolicyNames = { ...names, variables: found.types };
  if (validations.length === 0 && auditAnnotations.length === 0) {
    errors.push(required("spec.validations", "validations or auditAnnotations must be given"));
    errors.push(required("spec.auditAnnotations", "validations or auditAnnotations must be given"));
  }
  for (const [index, { expression, messageExpression }] of validations.entries()) {
    const at = `spec.validations[${index}]`;
    errors.push(...(yield* expressionSteps(expression, `${at}.expression`, all, ofType("bool"))).errors);
    yield;
    if (messageExpression !== undefined && messageExpression.trim() === "")
      errors.push(invalid(`${at}.messageExpression`, messageExpression, "must not be blank"));
    else if (messageExpression !== undefined) {
      const withoutAuthorizer = { ...all, hasAuthorizer: false };
      const checked = yield* expressionSteps(
        messageExpression,
        `${at}.messageExpression`,
        withoutAuthorizer,
        ofType("string"),
      );
      errors.push(...checked.errors);
      yield;
    }
  }
  if (auditAnnotations.length <= auditAnnotationsMax)
    errors.push(...(yield* annotationSteps(metadata.name ?? metadata.generateName ?? "", auditAnnotations, all)));
  return errors;
}

function* annotationSteps(
  policy: string,
  annotations: readonly { key: string; valueExpression: string }[],
  names: PolicyNames,
): Steps<FieldError[]> {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, { key, valueExpression }] of annotations.entries()) {
    const at = `spec.auditAnnotations[${index}]`;
    for (const problem of isQualifiedName(`${policy.replace(/-$/, "")}/${key}`))
      errors.push(invalid(`${at}.key`, key, problem));
    if (seen.has(key)) errors.push(duplicate(`${at}.key`, key));
    seen.add(key);
    if (valueExpression.trim().length <= valueExpressionBytesMax)
      errors.push(
        ...(yield* expressionSteps(valueExpression, `${at}.valueExpression`, names, ofType("string", "null"))).errors,
      );
    yield;
  }
  return errors;
}
