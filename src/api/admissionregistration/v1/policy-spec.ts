/** The fields of policies that refuse requests. */

import { isDns1035Label, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import {
  elided,
  int64,
  list,
  optional,
  printed,
  type Static,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { type FieldErrors, invalid, noErrors, required } from "../../../machinery/status/field-error.ts";
import { Condition } from "../../common-fields.ts";
import { MatchCondition, MatchResources, namesResources } from "./match-resources.ts";

const reservedWords = new Set(
  "in as break const continue else for function if import let loop package namespace return var void while true false null".split(
    " ",
  ),
);

export const ParamKind = struct(
  "admissionregistration.v1.ParamKind",
  {
    apiVersion: elided(string())
      .at(1)
      .required()
      .named(groupVersionProblems)
      .doc("Group and version of the parameters."),
    kind: elided(string()).at(2).required().named(kindProblems).doc("The kind of the parameters."),
  },
  { topology: "atomic" },
);

const Validation = struct("admissionregistration.v1.Validation", {
  expression: string().at(1).doc("A CEL expression that is true for requests that may pass."),
  message: elided(string()).at(2).checked(validateMessage).doc("What a refusal says. Default: the expression."),
  reason: optional(string())
    .at(3)
    .openApiEnum("none")
    .oneOf(["Forbidden", "Invalid", "RequestEntityTooLarge"])
    .doc("The reason of the refusal: Forbidden, Invalid or RequestEntityTooLarge. Default: Invalid."),
  messageExpression: elided(string()).at(4).since("1.27").doc("A CEL expression for what a refusal says."),
});

const AuditAnnotation = struct("admissionregistration.v1.AuditAnnotation", {
  key: string().at(1).doc("The key of the annotation, after the name of the policy and a slash."),
  valueExpression: string()
    .at(2)
    .checked(validateValueLength)
    .doc("A CEL expression that returns a string, or null to omit the annotation."),
});

export const Variable = struct(
  "admissionregistration.v1.Variable",
  {
    name: string().at(1).required().named(identifierProblems).doc("The name: expressions say variables.NAME."),
    expression: string().at(2).doc("A CEL expression, evaluated once where it is used."),
  },
  { topology: "atomic" },
);

export const ValidatingAdmissionPolicySpec = struct("admissionregistration.v1.ValidatingAdmissionPolicySpec", {
  paramKind: optional(ParamKind).at(1).doc("The kind of the parameters that bindings name."),
  matchConstraints: optional(MatchResources)
    .at(2)
    .required()
    .checked(namesResources)
    .doc("The requests that the policy is about."),
  validations: elided(list(Validation, { topology: "atomic" }))
    .at(3)
    .before("1.27", (validations) => printed(validations))
    .doc("What requests must fulfil."),
  failurePolicy: optional(string())
    .at(4)
    .default("Fail")
    .oneOf(["Fail", "Ignore"])
    .doc("What happens when an expression fails: Fail refuses the request, Ignore does not. Default: Fail."),
  auditAnnotations: elided(list(AuditAnnotation, { topology: "atomic" }))
    .at(5)
    .since("1.27")
    .checked(validateAnnotationCount)
    .doc("What the audit record gets."),
  matchConditions: elided(
    list(MatchCondition, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" }),
  )
    .at(6)
    .since("1.27")
    .doc("Conditions that must all be true for a request to match."),
  variables: elided(list(Variable, { topology: "map", keys: ["name"], patchStrategy: "merge", patchMergeKey: "name" }))
    .at(7)
    .since("1.28")
    .before("1.29", (variables) => printed(variables.listed(false)))
    .doc("Expressions that later ones name."),
});
export type ValidatingAdmissionPolicySpec = Static<typeof ValidatingAdmissionPolicySpec>;

const ExpressionWarning = struct("admissionregistration.v1.ExpressionWarning", {
  fieldRef: string().at(2).required().checked(validateFieldRef).doc("The path of the expression."),
  warning: string().at(3).required().checked(notBlank).doc("What type checking found."),
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
    .uniqueBy("type")
    .doc("Conditions of the policy."),
});
export type ValidatingAdmissionPolicyStatus = Static<typeof ValidatingAdmissionPolicyStatus>;

/** An empty group is the core group, also with its slash: `/v1`. */
function groupVersionProblems(text: string): readonly string[] {
  const parts = text.split("/");
  if (parts.length > 2) return ["must be GROUP/VERSION"];
  const version = parts.at(-1)!;
  const group = parts.length === 2 ? parts[0]! : "";
  if (version === "") return ["must have a version"];
  return [...(group === "" ? [] : isDns1123Subdomain(group)), ...isDns1035Label(version)];
}

function kindProblems(text: string): readonly string[] {
  return isDns1035Label(text.toLowerCase());
}

function identifierProblems(text: string): readonly string[] {
  const isIdentifier = /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !reservedWords.has(text);
  return isIdentifier ? [] : ["must be an identifier of CEL"];
}

function validateMessage(text: string): FieldErrors {
  if (text.trim() === "") return [invalid("", text, "must not be blank")];
  return /[\n\r]/.test(text.trim()) ? [invalid("", text, "must not have line breaks")] : noErrors;
}

export const auditAnnotationsMax = 20;
/** The longest text of a valueExpression. */
export const valueExpressionBytesMax = 5 * 1024;

function validateAnnotationCount({ length }: readonly unknown[]): FieldErrors {
  return length > auditAnnotationsMax
    ? [invalid("", length, `must have at most ${auditAnnotationsMax} items`)]
    : noErrors;
}

function validateValueLength(text: string): FieldErrors {
  return text.trim().length > valueExpressionBytesMax
    ? [required("", `must not exceed ${valueExpressionBytesMax} bytes`)]
    : noErrors;
}

function notBlank(text: string): FieldErrors {
  return text.trim() === "" ? [required("")] : noErrors;
}

function validateFieldRef(text: string): FieldErrors {
  if (text.trim() === "") return [required("")];
  const isPath = /^[A-Za-z_][\w-]*(\[[^\][]+\])*(\.[A-Za-z_][\w-]*(\[[^\][]+\])*)*$/.test(text);
  return isPath ? noErrors : [invalid("", text, "must be the path of a field")];
}
