/** The expressions of policies that change objects: they are compiled before a policy is stored. */

import type { Steps } from "../../../base/time-slice.ts";
import { configurationType, jsonPatchListType } from "../../../cel/library/patches.ts";
import { releaseOfNew } from "../../../cel/new-expressions.ts";
import type { PolicyNames } from "../../../cel/schema/policy-environment.ts";
import { type Type, typeName } from "../../../cel/types/types.ts";
import { checksInSteps } from "../../../machinery/schema/checks-in-steps.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ApiObject } from "../../../machinery/schema/kind.ts";
import { type FieldError, type FieldErrors, invalid, required } from "../../../machinery/status/field-error.ts";
import { expressionSteps, matchConditionSteps, variableSteps } from "../v1/match-resources.ts";
import type { MutatingAdmissionPolicySpec, Mutation } from "./mutating-policy-spec.ts";

interface Policy extends ApiObject {
  readonly spec: MutatingAdmissionPolicySpec;
}

export const mutatingPolicyChecks = checksInSteps((policy: Policy, _old, environment) =>
  policySteps(policy, environment),
);

function* policySteps({ spec }: Policy, environment: Environment): Steps<FieldErrors> {
  const names: PolicyNames = { release: releaseOfNew(environment), hasParams: spec.paramKind !== undefined };
  const errors = yield* matchConditionSteps(spec.matchConditions, "spec.matchConditions", names);
  const variables = yield* variableSteps(spec.variables ?? [], names);
  errors.push(...variables.errors);
  const all: PolicyNames = { ...names, variables: variables.types, makesPatches: true };
  for (const [index, mutation] of (spec.mutations ?? []).entries()) {
    errors.push(...(yield* mutationSteps(mutation, `spec.mutations[${index}]`, all)));
    yield;
  }
  return errors;
}

const members = [
  { patchType: "ApplyConfiguration", member: "applyConfiguration", type: configurationType },
  { patchType: "JSONPatch", member: "jsonPatch", type: jsonPatchListType },
] as const;

/** The type names the member that is given; of another type nothing more is said. */
function* mutationSteps(mutation: Mutation, path: string, names: PolicyNames): Steps<FieldError[]> {
  const chosen = members.find(({ patchType }) => patchType === mutation.patchType);
  if (chosen === undefined) return [];
  const errors: FieldError[] = [];
  for (const { member, type } of members) {
    const at = `${path}.${member}`;
    const given = mutation[member];
    if (given === undefined) {
      if (member === chosen.member)
        errors.push(required(at, `must be specified when patchType is ${chosen.patchType}`));
    } else if (member === chosen.member) {
      const { expression = "" } = given;
      errors.push(...(yield* expressionSteps(expression, `${at}.expression`, names, exactly(type))).errors);
    } else errors.push(invalid(at, `{${member}}`, `must not be specified when patchType is ${chosen.patchType}`));
  }
  return errors;
}

const exactly =
  (wanted: Type) =>
  (type: Type): string | undefined =>
    typeName(type) === typeName(wanted) ? undefined : typeName(wanted);
