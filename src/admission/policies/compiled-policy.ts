/** What policies of both kinds have in common, and bindings, as requests are judged by them: selectors and expressions are compiled once. */

import type { MatchResources, NamedRuleWithOperations } from "../../api/admissionregistration/v1/match-resources.ts";
import type { ValidatingAdmissionPolicySpec } from "../../api/admissionregistration/v1/policy-spec.ts";
import type { ParamRef } from "../../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import type { Release } from "../../base/release.ts";
import type { Steps } from "../../base/time-slice.ts";
import { type PolicyNames, variablesType } from "../../cel/schema/policy-environment.ts";
import { dyn, type ObjectType, type Type } from "../../cel/types/types.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import { expressionSteps, type PolicyExpression } from "./expression.ts";

export interface CompiledMatch {
  readonly rules: readonly NamedRuleWithOperations[];
  readonly excluded: readonly NamedRuleWithOperations[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly matchesEquivalent: boolean;
}

/** A policy without what it demands or changes. */
export interface CompiledPolicy {
  readonly name: string;
  readonly match: CompiledMatch;
  readonly ignoresErrors: boolean;
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly conditions: readonly PolicyExpression[];
  readonly variables: ReadonlyMap<string, PolicyExpression>;
  readonly variablesType: ObjectType;
}

export interface CompiledBinding {
  readonly name: string;
  readonly policy: string;
  readonly match: CompiledMatch | undefined;
  readonly paramRef: ParamRef | undefined;
  readonly paramSelector: LabelSelector | undefined;
  readonly actions: readonly string[];
}

/** The fields that policies of both kinds have. */
interface PolicyObject extends ApiObject {
  readonly spec: Pick<
    ValidatingAdmissionPolicySpec,
    "paramKind" | "matchConstraints" | "failurePolicy" | "matchConditions" | "variables"
  >;
}

interface BindingObject extends ApiObject {
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
    readonly validationActions?: readonly string[];
  };
}

/** Compiles a further expression of the policy, which may name its variables. */
type CompileMore = (text: string, more?: Partial<PolicyNames>) => Steps<PolicyExpression>;

/** In steps: each of thousands of expressions may take long. */
export function* compileCommon(
  { metadata, spec }: PolicyObject,
  release: Release,
): Steps<{ readonly policy: CompiledPolicy; readonly more: CompileMore }> {
  const { paramKind } = spec;
  const names: PolicyNames = { release, hasParams: paramKind !== undefined };
  const types = new Map<string, Type>();
  const variables = new Map<string, PolicyExpression>();
  for (const { name, expression } of spec.variables ?? []) {
    const made = yield* expressionSteps(expression, { ...names, variables: types });
    variables.set(name, made);
    types.set(name, made.program?.type ?? dyn);
    yield;
  }
  const conditions: PolicyExpression[] = [];
  for (const { expression } of spec.matchConditions ?? []) {
    conditions.push(yield* expressionSteps(expression, names));
    yield;
  }
  return {
    policy: {
      name: metadata.name ?? "",
      match: compileMatch(spec.matchConstraints ?? {}),
      ignoresErrors: spec.failurePolicy === "Ignore",
      paramKind: paramKind && { apiVersion: paramKind.apiVersion ?? "", kind: paramKind.kind ?? "" },
      conditions,
      variables,
      variablesType: variablesType(types),
    },
    more: (text, more) => expressionSteps(text, { ...names, variables: types, ...more }),
  };
}

export function compileBinding({ metadata, spec }: BindingObject): CompiledBinding {
  const { paramRef, matchResources } = spec;
  return {
    name: metadata.name ?? "",
    policy: spec.policyName ?? "",
    match: matchResources && compileMatch(matchResources),
    paramRef,
    paramSelector: paramRef?.selector && labelSelectorFromObject(paramRef.selector),
    // Release 1.26 had no other action.
    actions: spec.validationActions ?? ["Deny"],
  };
}

const compileMatch = (given: MatchResources): CompiledMatch => ({
  rules: given.resourceRules ?? [],
  excluded: given.excludeResourceRules ?? [],
  namespaceSelector: labelSelectorFromObject(given.namespaceSelector ?? {}),
  objectSelector: labelSelectorFromObject(given.objectSelector ?? {}),
  matchesEquivalent: given.matchPolicy !== "Exact",
});
