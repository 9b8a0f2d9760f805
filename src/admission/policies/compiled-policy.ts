/** Policies and bindings as requests are judged by them: selectors and expressions are compiled once. */

import type { MatchResources, NamedRuleWithOperations } from "../../api/admissionregistration/v1/match-resources.ts";
import type { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import type {
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from "../../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import type { Release } from "../../base/release.ts";
import { type PolicyNames, variablesType } from "../../cel/schema/policy-environment.ts";
import { dyn, type ObjectType, type Type } from "../../cel/types/types.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import { compileExpression, type PolicyExpression } from "./expression.ts";

export interface CompiledMatch {
  readonly rules: readonly NamedRuleWithOperations[];
  readonly excluded: readonly NamedRuleWithOperations[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly matchesEquivalent: boolean;
}

export interface CompiledValidation {
  readonly expression: PolicyExpression;
  readonly message: string;
  readonly messageExpression: PolicyExpression | undefined;
  readonly reason: string;
}

export interface CompiledPolicy {
  readonly name: string;
  readonly match: CompiledMatch;
  readonly ignoresErrors: boolean;
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly conditions: readonly PolicyExpression[];
  readonly variables: ReadonlyMap<string, PolicyExpression>;
  readonly variablesType: ObjectType;
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly { readonly key: string; readonly expression: PolicyExpression }[];
}

export interface CompiledBinding {
  readonly name: string;
  readonly policy: string;
  readonly match: CompiledMatch | undefined;
  readonly paramRef: ParamRef | undefined;
  readonly paramSelector: LabelSelector | undefined;
  readonly actions: readonly string[];
}

export function compilePolicy({ metadata, spec }: ValidatingAdmissionPolicy, release: Release): CompiledPolicy {
  const { paramKind } = spec;
  const names: PolicyNames = { release, hasParams: paramKind !== undefined };
  const compiled = (text: string, more: Partial<PolicyNames> = {}) => compileExpression(text, { ...names, ...more });
  const types = new Map<string, Type>();
  const variables = new Map<string, PolicyExpression>();
  for (const { name, expression } of spec.variables ?? []) {
    const made = compiled(expression, { variables: new Map(types) });
    variables.set(name, made);
    types.set(name, made.program?.type ?? dyn);
  }
  return {
    name: metadata.name ?? "",
    match: compileMatch(spec.matchConstraints ?? {}),
    ignoresErrors: spec.failurePolicy === "Ignore",
    paramKind: paramKind && { apiVersion: paramKind.apiVersion ?? "", kind: paramKind.kind ?? "" },
    conditions: (spec.matchConditions ?? []).map(({ expression }) => compiled(expression)),
    variables,
    variablesType: variablesType(types),
    validations: (spec.validations ?? []).map(({ expression, message = "", messageExpression, reason }) => ({
      expression: compiled(expression, { variables: types }),
      message,
      messageExpression:
        messageExpression === undefined
          ? undefined
          : compiled(messageExpression, { variables: types, hasAuthorizer: false }),
      reason: reason ?? "Invalid",
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      expression: compiled(valueExpression, { variables: types }),
    })),
  };
}

export function compileBinding({ metadata, spec }: ValidatingAdmissionPolicyBinding): CompiledBinding {
  const { paramRef, matchResources } = spec;
  return {
    name: metadata.name ?? "",
    policy: spec.policyName ?? "",
    match: matchResources && compileMatch(matchResources),
    paramRef,
    paramSelector: paramRef?.selector && labelSelectorFromObject(paramRef.selector),
    actions: spec.validationActions ?? [],
  };
}

const compileMatch = (given: MatchResources): CompiledMatch => ({
  rules: given.resourceRules ?? [],
  excluded: given.excludeResourceRules ?? [],
  namespaceSelector: labelSelectorFromObject(given.namespaceSelector ?? {}),
  objectSelector: labelSelectorFromObject(given.objectSelector ?? {}),
  matchesEquivalent: given.matchPolicy !== "Exact",
});
