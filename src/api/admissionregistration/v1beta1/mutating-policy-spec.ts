/** The fields of policies that change objects. */

import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import { createRetyped } from "../../../machinery/schema/retyped.ts";
import { notSupported } from "../../../machinery/status/field-error.ts";
import * as v1 from "../v1/match-resources.ts";
import * as policy from "../v1/policy-spec.ts";

export const inV1beta1 = createRetyped("admissionregistration.v1", "admissionregistration.v1beta1", {
  enums: { matchPolicy: "none" },
});

export const MatchResources = inV1beta1(v1.MatchResources);

/** What is deleted cannot be changed. */
const mutableOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

export const mutableOperationsOnly: Relation = on(MatchResources, ({ resourceRules = [] }: v1.MatchResources) =>
  resourceRules
    .flatMap(({ operations = [] }) => operations)
    .filter((operation) => !mutableOperations.includes(operation))
    .map((operation) => notSupported("resourceRules.operations", operation, mutableOperations)),
);

const failurePolicies = ["Fail", "Ignore"];
const reinvocationPolicies = ["IfNeeded", "Never"];

/** What OpenAPI names in the other versions. */
export const namedValues = { failurePolicy: failurePolicies, matchPolicy: ["Equivalent", "Exact"] };

export const Mutation = struct("admissionregistration.v1beta1.Mutation", {
  patchType: string()
    .at(2)
    .required()
    .oneOf(["ApplyConfiguration", "JSONPatch"])
    .doc("ApplyConfiguration or JSONPatch: which of the two others is given."),
  applyConfiguration: optional(
    struct("admissionregistration.v1beta1.ApplyConfiguration", {
      expression: elided(string())
        .at(1)
        .doc("A CEL expression that returns an Object, which is merged into the object as an apply would."),
    }),
  )
    .at(3)
    .doc("Fields to set."),
  jsonPatch: optional(
    struct("admissionregistration.v1beta1.JSONPatch", {
      expression: elided(string())
        .at(1)
        .doc("A CEL expression that returns a list of JSONPatch, which are carried out."),
    }),
  )
    .at(4)
    .doc("Operations to carry out."),
});
export type Mutation = Static<typeof Mutation>;

const byName = { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" } as const;

export const MutatingAdmissionPolicySpec = struct("admissionregistration.v1beta1.MutatingAdmissionPolicySpec", {
  paramKind: optional(inV1beta1(policy.ParamKind)).at(1).doc("The kind of the parameters that bindings name."),
  matchConstraints: optional(MatchResources)
    .at(2)
    .required()
    .checked(v1.namesResources)
    .doc("The requests that the policy is about."),
  variables: elided(list(inV1beta1(policy.Variable), { topology: "atomic" }))
    .at(3)
    .doc("Expressions that later ones name."),
  mutations: elided(list(Mutation, { topology: "atomic" }))
    .at(4)
    .required()
    .doc("What changes, one after the other."),
  failurePolicy: optional(string())
    .at(5)
    .default("Fail")
    .oneOf(failurePolicies)
    .openApiEnum("none")
    .doc("What happens when an expression fails: Fail refuses the request, Ignore does not. Default: Fail."),
  matchConditions: elided(list(inV1beta1(v1.MatchCondition), byName))
    .at(6)
    .doc("Conditions that must all be true for a request to match."),
  reinvocationPolicy: elided(string())
    .at(7)
    .required()
    .oneOf(reinvocationPolicies)
    .from("1.34", (policy) => policy.openApiEnum("none"))
    .from("1.35", (policy) => policy.openApiEnum(reinvocationPolicies))
    .doc("Never: once for each request. IfNeeded: again if another plugin or policy changed the object afterwards."),
});
export type MutatingAdmissionPolicySpec = Static<typeof MutatingAdmissionPolicySpec>;
