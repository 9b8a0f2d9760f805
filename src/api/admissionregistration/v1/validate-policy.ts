/** Checks of policies: their expressions are compiled before they are stored. */

import { compilePolicyExpression, type PolicyNames } from "../../../cel/schema/policy-environment.ts";
import { dyn, type Type } from "../../../cel/types/types.ts";
import { isDns1123Subdomain, isQualifiedName } from "../../../machinery/meta/names.ts";
import type { ApiObject } from "../../../machinery/schema/kind.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { validateConditions } from "../../meta/validate-condition.ts";
import { expressionErrors, validateMatchConditions } from "./match-resources.ts";
import type { ValidatingAdmissionPolicySpec, ValidatingAdmissionPolicyStatus } from "./validating-admission-policy.ts";

export const auditAnnotationsMax = 20;
/** Of the text of a valueExpression. */
export const valueExpressionBytesMax = 5 * 1024;
/** Of `message`. */
export const policyMessageBytesMax = 5 * 1024;
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const reservedWords = new Set(
  "in as break const continue else for function if import let loop package namespace return var void while true false null".split(
    " ",
  ),
);

interface Policy extends ApiObject {
  readonly spec: ValidatingAdmissionPolicySpec;
}

export function validatePolicy({ metadata, spec }: Policy, environment: Environment): FieldError[] {
  const { paramKind, validations = [], auditAnnotations = [], failurePolicy, variables = [] } = spec;
  const names: PolicyNames = { release: environment.level, hasParams: paramKind !== undefined };
  const errors: FieldError[] = [];
  if (failurePolicy !== undefined && !["Fail", "Ignore"].includes(failurePolicy))
    errors.push(notSupported("spec.failurePolicy", failurePolicy, ["Fail", "Ignore"]));
  if (paramKind !== undefined) {
    const { apiVersion = "", kind = "" } = paramKind;
    if (apiVersion === "") errors.push(required("spec.paramKind.apiVersion"));
    else if (!/^([a-z0-9][a-z0-9.-]*\/)?[a-z0-9][a-z0-9-]*$/.test(apiVersion))
      errors.push(invalid("spec.paramKind.apiVersion", apiVersion, "must be GROUP/VERSION"));
    if (kind === "") errors.push(required("spec.paramKind.kind"));
    else if (isDns1123Subdomain(kind.toLowerCase()).length > 0 || kind.includes("."))
      errors.push(invalid("spec.paramKind.kind", kind, "must be the name of a kind"));
  }
  if (spec.matchConstraints !== undefined && !spec.matchConstraints.resourceRules?.length)
    errors.push(required("spec.matchConstraints.resourceRules"));
  errors.push(...validateMatchConditions(spec.matchConditions, "spec.matchConditions", names));
  const types = new Map<string, Type>();
  for (const [index, { name, expression }] of variables.entries()) {
    const at = `spec.variables[${index}]`;
    if (name === "") errors.push(required(`${at}.name`));
    else if (!identifier.test(name) || reservedWords.has(name))
      errors.push(invalid(`${at}.name`, name, "must be an identifier of CEL"));
    const withVariables = { ...names, variables: new Map(types) };
    errors.push(...expressionErrors(expression, `${at}.expression`, withVariables, []));
    types.set(name, compilePolicyExpression(expression, withVariables).program?.type ?? dyn);
  }
  const all: PolicyNames = { ...names, variables: types };
  if (validations.length === 0 && auditAnnotations.length === 0) {
    errors.push(required("spec.validations", "validations or auditAnnotations must be given"));
    errors.push(required("spec.auditAnnotations", "validations or auditAnnotations must be given"));
  }
  for (const [index, { expression, message = "", messageExpression, reason }] of validations.entries()) {
    const at = `spec.validations[${index}]`;
    errors.push(...expressionErrors(expression, `${at}.expression`, all, ["bool"]));
    if (messageExpression !== undefined)
      errors.push(
        ...expressionErrors(messageExpression, `${at}.messageExpression`, { ...all, hasAuthorizer: false }, ["string"]),
      );
    if (message !== "" && message.trim() === "") errors.push(invalid(`${at}.message`, message, "must not be blank"));
    else if (/[\n\r]/.test(message.trim())) errors.push(invalid(`${at}.message`, message, "must not have line breaks"));
    else if (/[\n\r]/.test(expression.trim()) && message === "")
      errors.push(required(`${at}.message`, "is needed where the expression has line breaks"));
    if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${at}.reason`, reason, reasons));
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

export function validatePolicyStatus({ status }: { readonly status: ValidatingAdmissionPolicyStatus }): FieldError[] {
  const warnings = status.typeChecking?.expressionWarnings ?? [];
  return [
    ...warnings.flatMap(({ fieldRef, warning }, index) => {
      const at = `status.typeChecking.expressionWarnings[${index}]`;
      return [
        ...(warning.trim() === "" ? [required(`${at}.warning`)] : []),
        ...(fieldRef.trim() === "" ? [required(`${at}.fieldRef`)] : fieldRefErrors(fieldRef, `${at}.fieldRef`)),
      ];
    }),
    ...validateConditions(status.conditions ?? [], "status.conditions"),
  ];
}

const fieldRefErrors = (text: string, path: string): FieldError[] =>
  /^[A-Za-z_][\w-]*(\[[^\][]+\])*(\.[A-Za-z_][\w-]*(\[[^\][]+\])*)*$/.test(text)
    ? []
    : [invalid(path, text, "must be the path of a field")];
