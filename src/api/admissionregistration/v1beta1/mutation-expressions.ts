/** The expressions of policies that change objects: they are compiled before a policy is stored. */

import type { Steps } from "../../../base/time-slice.ts";
import { configurationType, jsonPatchListType } from "../../../cel/library/patches.ts";
import type { PolicyNames } from "../../../cel/schema/policy-environment.ts";
import { type Type, typeName } from "../../../cel/types/types.ts";
import { checksInSteps } from "../../../machinery/schema/checks-in-steps.ts";
import type { ApiObject } from "../../../machinery/schema/kind.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { type FieldError, type FieldErrors, invalid, required } from "../../../machinery/status/field-error.ts";
import { checkExpression, matchConditionSteps, variableSteps } from "../v1/match-resources.ts";
import type { MutatingAdmissionPolicySpec, Mutation } from "./mutating-policy-spec.ts";

interface Policy extends ApiObject {
  readonly spec: MutatingAdmissionPolicySpec;
}

export const mutatingPolicyChecks = checksInSteps((policy: Policy, _old, environment) =>
  policySteps(policy, environment),
);

function* policySteps({ spec }: Policy, environment: Environment): Steps<FieldErrors> {
  const names: PolicyNames = { release: environment.level, hasParams: spec.paramKind !== undefined };
  const errors = yield* matchConditionSteps(spec.matchConditions, "spec.matchConditions", names);
  const variables = yield* variableSteps(spec.variables ?? [], names);
  errors.push(...variables.errors);
  const all: PolicyNames = { ...names, variables: variables.types, makesPatches: true };
  for (const [index, mutation] of (spec.mutations ?? []).entries()) {
    errors.push(...mutationErrors(mutation, `spec.mutations[${index}]`, all));
    yield;
  }
  return errors;
}

const members = [
  { patchType: "ApplyConfiguration", member: "applyConfiguration", type: configurationType },
  { patchType: "JSONPatch", member: "jsonPatch", type: jsonPatchListType },
] as const;

/** The type names the member that is given; of another type nothing more is said. */
function mutationErrors(mutation: Mutation, path: string, names: PolicyNames): FieldError[] {
  const chosen = members.find(({ patchType }) => patchType === mutation.patchType);
  if (chosen === undefined) return [];
  return members.flatMap(({ member, type }) => {
    const at = `${path}.${member}`;
    const given = mutation[member];
    if (member === chosen.member)
      return given === undefined
        ? [required(at, `must be specified when patchType is ${chosen.patchType}`)]
        : checkExpression(given.expression ?? "", `${at}.expression`, names, exactly(type)).errors;
    if (given === undefined) return [];
    return [invalid(at, `{${member}}`, `must not be specified when patchType is ${chosen.patchType}`)];
  });
}

const exactly =
  (wanted: Type) =>
  (type: Type): string | undefined =>
    typeName(type) === typeName(wanted) ? undefined : typeName(wanted);
