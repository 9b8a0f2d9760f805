/** A ValidatingAdmissionPolicyBinding applies a policy to requests, with parameters. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { isDns1123Subdomain, isPathSegmentName } from "../../../machinery/meta/names.ts";
import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { repeats } from "../../validation.ts";
import { MatchResources, validateMatchResources } from "./match-resources.ts";

export const ParamRef = struct(
  "admissionregistration.v1.ParamRef",
  {
    name: elided(string()).at(1).doc("The name of the parameters. Either this or a selector."),
    namespace: elided(string()).at(2).doc("Their namespace. Absent: that of the request."),
    selector: optional(LabelSelector).at(3).doc("All objects with these labels are parameters, one after the other."),
    parameterNotFoundAction: optional(string())
      .at(4)
      .doc("Allow or Deny: whether a request is admitted if no parameter object is found."),
  },
  { topology: "atomic" },
);
export type ParamRef = Static<typeof ParamRef>;

export const ValidatingAdmissionPolicyBindingSpec = struct(
  "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec",
  {
    policyName: elided(string()).at(1).doc("The name of the policy. It need not exist yet."),
    paramRef: optional(ParamRef).at(2).doc("The parameters of the policy."),
    matchResources: optional(MatchResources)
      .at(3)
      .doc("The requests that the binding is about, among those of the policy."),
    validationActions: elided(list(string(), { topology: "set" }))
      .at(4)
      .doc("What happens to requests that do not fulfil the policy: Deny, Warn, Audit."),
  },
);
export type ValidatingAdmissionPolicyBindingSpec = Static<typeof ValidatingAdmissionPolicyBindingSpec>;

export const ValidatingAdmissionPolicyBinding = kind({
  group: "admissionregistration.orch.io",
  version: "v1",
  since: "1.30",
  kind: "ValidatingAdmissionPolicyBinding",
  resource: "validatingadmissionpolicybindings",
  scope: "Cluster",
  categories: ["api-extensions"],
  doc: "A ValidatingAdmissionPolicyBinding applies a policy to requests.",
  fields: {
    spec: ValidatingAdmissionPolicyBindingSpec.at(2).doc("The policy, where it applies, and what it does there."),
  },
  unconditionalUpdate: false,
  plainFinalizers: true,
  generation: true,
  validate: ({ spec }) => validateBinding(spec),
  columns: (column) => [
    nameColumn,
    column("PolicyName", ({ spec }) => spec.policyName ?? ""),
    column("ParamRef", ({ spec: { paramRef } }) => {
      if (paramRef === undefined) return "<unset>";
      if (paramRef.name === undefined) return paramRef.namespace ? `${paramRef.namespace}/*` : "*";
      return paramRef.namespace ? `${paramRef.namespace}/${paramRef.name}` : `*/${paramRef.name}`;
    }),
    ageColumn,
  ],
});
export type ValidatingAdmissionPolicyBinding = Static<typeof ValidatingAdmissionPolicyBinding>;

const actions = ["Audit", "Deny", "Warn"];

function validateBinding({
  policyName = "",
  paramRef,
  matchResources,
  validationActions = [],
}: ValidatingAdmissionPolicyBindingSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (policyName === "") errors.push(required("spec.policyName"));
  else errors.push(...isDns1123Subdomain(policyName).map((problem) => invalid("spec.policyName", policyName, problem)));
  if (paramRef !== undefined) errors.push(...validateParamRef(paramRef));
  errors.push(...validateMatchResources(matchResources, "spec.matchResources", false));
  if (validationActions.length === 0) errors.push(required("spec.validationActions"));
  const repeated = repeats(validationActions);
  for (const [index, action] of validationActions.entries()) {
    const at = `spec.validationActions[${index}]`;
    if (!actions.includes(action)) errors.push(notSupported(at, action, actions));
    else if (repeated.has(index)) errors.push(duplicate(at, action));
  }
  if (validationActions.includes("Deny") && validationActions.includes("Warn"))
    errors.push(invalid("spec.validationActions", validationActions, "must not contain both Deny and Warn"));
  return errors;
}

function validateParamRef({ name = "", selector, parameterNotFoundAction = "" }: ParamRef): FieldError[] {
  const path = "spec.paramRef";
  const errors: FieldError[] = [];
  if (name === "" && selector === undefined) errors.push(required(path, "must have a name or a selector"));
  if (name !== "" && selector !== undefined) {
    errors.push(forbidden(`${path}.name`, "must not be given with a selector"));
    errors.push(forbidden(`${path}.selector`, "must not be given with a name"));
  }
  if (name !== "") errors.push(...isPathSegmentName(name).map((problem) => invalid(`${path}.name`, name, problem)));
  errors.push(...validateLabelSelector(selector, `${path}.selector`));
  if (parameterNotFoundAction === "") errors.push(required(`${path}.parameterNotFoundAction`));
  else if (!["Allow", "Deny"].includes(parameterNotFoundAction))
    errors.push(notSupported(`${path}.parameterNotFoundAction`, parameterNotFoundAction, ["Allow", "Deny"]));
  return errors;
}
