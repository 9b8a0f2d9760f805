/** What one policy says about one request, with one binding and one parameter. */

import type { Bindings } from "../../cel/contract.ts";
import { authorizerValue, requestResourceValue } from "../../cel/library/authorization.ts";
import { matchConditionsCostMax, requestCostMax } from "../../cel/limits.ts";
import { readNamespace, readRequest } from "../../cel/schema/policy-environment.ts";
import { jsonValue } from "../../cel/values/json.ts";
import { EvaluationError, type Value } from "../../cel/values/values.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { optionsOf, requestMembers } from "../review.ts";
import { type Budget, budgetOf, evaluate, overBudget, type PolicyAccess, Variables } from "./evaluation.ts";
import type { PolicyExpression } from "./expression.ts";
import { nameOf } from "./matched-kind.ts";
import type { CompiledValidation, ValidatingPolicy } from "./validating-policy.ts";

/** A message that is longer falls back to the fixed one. */
const messageBytesMax = 5 * 1024;
/** Longer values of audit annotations are cut. */
const annotationBytesMax = 10 * 1024;

export interface PolicyVerdict {
  readonly message: string;
  readonly reason: string;
  readonly expressionIndex: number;
}

export interface Judgement {
  readonly verdicts: readonly PolicyVerdict[];
  readonly annotations: ReadonlyMap<string, string>;
  /** Annotations that could not be made; they refuse whatever the actions of the binding are. */
  readonly failures: readonly string[];
}

/** What expressions see of a request in one version; made once for all policies that see that version. */
export async function inputsOf(
  request: AdmissionRequest,
  kind: BoundKind,
  namespace: ApiObject | undefined,
  access: PolicyAccess,
): Promise<Bindings> {
  const { object, old } = await request.in(kind);
  const { group, resource } = request.kind;
  const question = {
    group,
    resource,
    subresource: request.subresource,
    namespace: request.namespace,
    name: nameOf(request),
  };
  return {
    object: jsonValue(object ?? null),
    oldObject: jsonValue(old ?? null),
    request: readRequest({
      ...requestMembers(request, kind),
      name: nameOf(request),
      dryRun: request.dryRun,
      options: optionsOf(request),
    }),
    namespaceObject: namespace === undefined ? null : readNamespace(namespace),
    authorizer: authorizerValue(access.answer),
    "authorizer.requestResource": requestResourceValue(access.answer, question),
  };
}

/** Whether all conditions are true; one that is false wins over one that fails. */
export async function conditionsHold(
  conditions: readonly PolicyExpression[],
  inputs: Bindings,
  access: PolicyAccess,
): Promise<boolean | EvaluationError> {
  const budget = budgetOf(matchConditionsCostMax);
  let failed: EvaluationError | undefined;
  for (const condition of conditions) {
    const value = await evaluate(condition, { ...inputs, namespaceObject: null }, budget, access);
    if (value === false) return false;
    if (value instanceof EvaluationError) failed ??= value;
  }
  return failed ?? true;
}

/**
 * Validations and their messages share a budget; annotations have one of their own. Where one of the two is spent, the policy failed as a whole:
 * what its expressions found before does not count.
 */
export async function judge(policy: ValidatingPolicy, given: Bindings, access: PolicyAccess): Promise<Judgement> {
  const verdicts = await verdictsOf(policy, given, access);
  if (verdicts instanceof EvaluationError) return failed(policy, verdicts.message);
  const annotations = new Map<string, string>();
  const failures: string[] = [];
  const budget = budgetOf(requestCostMax);
  // Annotations may not ask what the user may do.
  const { authorizer: _, "authorizer.requestResource": __, ...seen } = given;
  const bindings = withVariables(policy, seen, budget);
  for (const { key, expression } of policy.annotations) {
    const value = await evaluate(expression, bindings, budget, access);
    if (value === overBudget) return failed(policy, overBudget.message);
    if (value instanceof EvaluationError) {
      const message = `audit annotation '${key}' resulted in error: ${value.message}`;
      failures.push(message);
    } else if (typeof value === "string" && value.trim() !== "") {
      annotations.set(`${policy.name}/${key}`, Buffer.from(value.trim()).subarray(0, annotationBytesMax).toString());
    }
  }
  return { verdicts, annotations, failures };
}

/** The policy could not be evaluated: one verdict, unless it ignores failures. */
export function failed({ ignoresErrors }: ValidatingPolicy, message: string): Judgement {
  const verdict = { message, reason: "Invalid", expressionIndex: 0 };
  return { verdicts: ignoresErrors ? [] : [verdict], annotations: new Map(), failures: [] };
}

const withVariables = (policy: ValidatingPolicy, given: Bindings, budget: Budget): Bindings => ({
  ...given,
  variables: new Variables(policy.variablesType, policy.variables, given, budget),
});

/** All validations are evaluated before the first message is. An error: the budget is spent. */
async function verdictsOf(
  policy: ValidatingPolicy,
  given: Bindings,
  access: PolicyAccess,
): Promise<readonly PolicyVerdict[] | EvaluationError> {
  const budget = budgetOf(requestCostMax);
  const bindings = withVariables(policy, given, budget);
  const values: (Value | EvaluationError)[] = [];
  for (const { expression } of policy.validations) {
    const value = await evaluate(expression, bindings, budget, access);
    if (value === overBudget) return overBudget;
    values.push(value);
  }
  const seen = withVariables(policy, given, budget);
  const verdicts: PolicyVerdict[] = [];
  for (const [expressionIndex, validation] of policy.validations.entries()) {
    const value = values[expressionIndex];
    if (value === true) continue;
    if (value instanceof EvaluationError) {
      const message = `expression '${validation.expression.text.trim()}' resulted in error: ${value.message}`;
      if (!policy.ignoresErrors) verdicts.push({ message, reason: "Invalid", expressionIndex });
      continue;
    }
    const message = await messageOf(validation, seen, budget, access);
    if (message instanceof EvaluationError)
      return failed(policy, `failed messageExpression: ${message.message}`).verdicts;
    verdicts.push({ message, reason: validation.reason, expressionIndex });
  }
  return verdicts;
}

/** The expression, unless it fails, is blank, has line breaks or is too long; then the text, and then the validation. An error: the budget is spent. */
async function messageOf(
  { expression, message, messageExpression }: CompiledValidation,
  bindings: Bindings,
  budget: Budget,
  access: PolicyAccess,
): Promise<string | EvaluationError> {
  const fallback = message.trim() || `failed expression: ${expression.text.trim()}`;
  if (messageExpression === undefined) return fallback;
  const value = await evaluate(messageExpression, bindings, budget, access);
  if (value === overBudget) return overBudget;
  if (typeof value !== "string") return fallback;
  const text = value.trim();
  return text === "" || /[\n\r]/.test(text) || Buffer.byteLength(text) > messageBytesMax ? fallback : text;
}
