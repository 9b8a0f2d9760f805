/** A ValidatingAdmissionPolicy refuses requests by expressions; bindings say where it applies. */

import { elided, int64, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { Condition } from "../../common-fields.ts";
import { MatchCondition, MatchResources } from "./match-resources.ts";
import { validatePolicy, validatePolicyStatus } from "./validate-policy.ts";

export const ParamKind = struct(
  "admissionregistration.v1.ParamKind",
  {
    apiVersion: elided(string()).at(1).doc("Group and version of the parameters."),
    kind: elided(string()).at(2).doc("The kind of the parameters."),
  },
  { topology: "atomic" },
);

export const Validation = struct("admissionregistration.v1.Validation", {
  expression: string().at(1).doc("A CEL expression that is true for requests that may pass."),
  message: elided(string()).at(2).doc("What a refusal says. Default: the expression."),
  reason: optional(string())
    .at(3)
    .doc("The reason of the refusal: Forbidden, Invalid or RequestEntityTooLarge. Default: Invalid."),
  messageExpression: elided(string()).at(4).doc("A CEL expression for what a refusal says."),
});
export type Validation = Static<typeof Validation>;

export const AuditAnnotation = struct("admissionregistration.v1.AuditAnnotation", {
  key: string().at(1).doc("The key of the annotation, after the name of the policy and a slash."),
  valueExpression: string().at(2).doc("A CEL expression that returns a string, or null to omit the annotation."),
});

export const Variable = struct(
  "admissionregistration.v1.Variable",
  {
    name: string().at(1).doc("The name: expressions say variables.NAME."),
    expression: string().at(2).doc("A CEL expression, evaluated once where it is used."),
  },
  { topology: "atomic" },
);

export const ValidatingAdmissionPolicySpec = struct("admissionregistration.v1.ValidatingAdmissionPolicySpec", {
  paramKind: optional(ParamKind).at(1).doc("The kind of the parameters that bindings name."),
  matchConstraints: optional(MatchResources).at(2).required().doc("The requests that the policy is about."),
  validations: elided(list(Validation, { topology: "atomic" }))
    .at(3)
    .doc("What requests must fulfil."),
  failurePolicy: optional(string())
    .at(4)
    .default("Fail")
    .doc("What happens when an expression fails: Fail refuses the request, Ignore does not. Default: Fail."),
  auditAnnotations: elided(list(AuditAnnotation, { topology: "atomic" }))
    .at(5)
    .doc("What the audit record gets."),
  matchConditions: elided(
    list(MatchCondition, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" }),
  )
    .at(6)
    .doc("Conditions that must all be true for a request to match."),
  variables: elided(list(Variable, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" }))
    .at(7)
    .doc("Expressions that later ones name."),
});
export type ValidatingAdmissionPolicySpec = Static<typeof ValidatingAdmissionPolicySpec>;

const ExpressionWarning = struct("admissionregistration.v1.ExpressionWarning", {
  fieldRef: string().at(2).doc("The path of the expression."),
  warning: string().at(3).doc("What type checking found."),
});

export const ValidatingAdmissionPolicyStatus = struct("admissionregistration.v1.ValidatingAdmissionPolicyStatus", {
  observedGeneration: elided(int64()).at(1).doc("The generation that was checked last."),
  typeChecking: optional(
    struct("admissionregistration.v1.TypeChecking", {
      expressionWarnings: elided(list(ExpressionWarning, { topology: "atomic" }))
        .at(1)
        .doc("Warnings about expressions."),
    }),
  )
    .at(2)
    .doc("The result of type checking. Absent: it is not finished."),
  conditions: elided(list(Condition, { topology: "map", keys: ["type"] }))
    .at(3)
    .doc("Conditions of the policy."),
});
export type ValidatingAdmissionPolicyStatus = Static<typeof ValidatingAdmissionPolicyStatus>;

export const ValidatingAdmissionPolicy = kind({
  group: "admissionregistration.orch.io",
  version: "v1",
  since: "1.30",
  kind: "ValidatingAdmissionPolicy",
  resource: "validatingadmissionpolicies",
  scope: "Cluster",
  categories: ["api-extensions"],
  doc: "A ValidatingAdmissionPolicy refuses requests by expressions.",
  fields: {
    spec: ValidatingAdmissionPolicySpec.at(2).doc("What the policy is about, and what it demands."),
    status: ValidatingAdmissionPolicyStatus.at(3).doc("What type checking found."),
  },
  unconditionalUpdate: false,
  plainFinalizers: true,
  generation: true,
  validate: validatePolicy,
  subresources: [status({ validate: validatePolicyStatus })],
  columns: (column) => [
    nameColumn,
    column("Validations", ({ spec }) => (spec.validations ?? []).length, { type: "integer" }),
    column("ParamKind", ({ spec: { paramKind } }) =>
      paramKind === undefined ? "<unset>" : `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}`,
    ),
    ageColumn,
  ],
});
export type ValidatingAdmissionPolicy = Static<typeof ValidatingAdmissionPolicy>;
