/** Checks of policies: their expressions are compiled before they are stored. */

import { compilePolicyExpression, type PolicyNames } from "../../../cel/schema/policy-environment.ts";
import { dyn, type Type } from "../../../cel/types/types.ts";
import { isQualifiedName } from "../../../machinery/meta/names.ts";
import { on } from "../../../machinery/schema/constraints.ts";
import type { ApiObject } from "../../../machinery/schema/kind.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { duplicate, type FieldError, invalid, noErrors, required } from "../../../machinery/status/field-error.ts";
import { expressionErrors, validateMatchConditions } from "./match-resources.ts";
import { ValidatingAdmissionPolicySpec } from "./policy-spec.ts";

const auditAnnotationsMax = 20;
/** The longest text of a valueExpression. */
const valueExpressionBytesMax = 5 * 1024;

interface Policy extends ApiObject {
  readonly spec: ValidatingAdmissionPolicySpec;
}

export const policyRelations = [
  on(ValidatingAdmissionPolicySpec, ({ matchConstraints }) =>
    matchConstraints !== undefined && !matchConstraints.resourceRules?.length
      ? [required("matchConstraints.resourceRules")]
      : noErrors,
  ),
];

export function validatePolicy({ metadata, spec }: Policy, environment: Environment): FieldError[] {
  const { paramKind, validations = [], auditAnnotations = [], variables = [] } = spec;
  const names: PolicyNames = { release: environment.level, hasParams: paramKind !== undefined };
  const errors: FieldError[] = [];
  errors.push(...validateMatchConditions(spec.matchConditions, "spec.matchConditions", names));
  const types = new Map<string, Type>();
  for (const [index, { name, expression }] of variables.entries()) {
    const at = `spec.variables[${index}]`;
    const withVariables = { ...names, variables: new Map(types) };
    errors.push(...expressionErrors(expression, `${at}.expression`, withVariables, []));
    types.set(name, compilePolicyExpression(expression, withVariables).program?.type ?? dyn);
  }
  const all: PolicyNames = { ...names, variables: types };
  if (validations.length === 0 && auditAnnotations.length === 0) {
    errors.push(required("spec.validations", "validations or auditAnnotations must be given"));
    errors.push(required("spec.auditAnnotations", "validations or auditAnnotations must be given"));
  }
  for (const [index, { expression, message = "", messageExpression }] of validations.entries()) {
    const at = `spec.validations[${index}]`;
    errors.push(...expressionErrors(expression, `${at}.expression`, all, ["bool"]));
    if (messageExpression !== undefined)
      errors.push(
        ...expressionErrors(messageExpression, `${at}.messageExpression`, { ...all, hasAuthorizer: false }, ["string"]),
      );
    if (/[\n\r]/.test(expression.trim()) && message === "")
      errors.push(required(`${at}.message`, "is needed where the expression has line breaks"));
  }
  if (auditAnnotations.length > auditAnnotationsMax)
    errors.push(
      invalid("spec.auditAnnotations", auditAnnotations.length, `must have at most ${auditAnnotationsMax} items`),
    );
  else errors.push(...validateAuditAnnotations(metadata.name ?? metadata.generateName ?? "", auditAnnotations, all));
  return errors;
}

function validateAuditAnnotations(
  policy: string,
  annotations: readonly { key: string; valueExpression: string }[],
  names: PolicyNames,
): FieldError[] {
  const seen = new Set<string>();
  return annotations.flatMap(({ key, valueExpression }, index) => {
    const at = `spec.auditAnnotations[${index}]`;
    const errors = isQualifiedName(`${policy.replace(/-$/, "")}/${key}`).map((problem) =>
      invalid(`${at}.key`, key, problem),
    );
    if (key !== "" && seen.has(key)) errors.push(duplicate(`${at}.key`, key));
    seen.add(key);
    if (valueExpression.trim().length > valueExpressionBytesMax)
      errors.push(required(`${at}.valueExpression`, `must not exceed ${valueExpressionBytesMax} bytes`));
    else errors.push(...expressionErrors(valueExpression, `${at}.valueExpression`, names, ["string", "null"]));
    return errors;
  });
}
