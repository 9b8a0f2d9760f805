/** A ValidatingAdmissionPolicyBinding applies a policy to requests, with parameters. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { elided, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { on } from "../../../machinery/schema/constraints.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import {
  duplicate,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  required,
} from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { repeats } from "../../validation.ts";
import { MatchResources } from "./match-resources.ts";

const knownActions = ["Audit", "Deny", "Warn"];

export const ParamRef = struct(
  "admissionregistration.v1.ParamRef",
  {
    name: elided(string()).at(1).named("pathSegment").doc("The name of the parameters. Either this or a selector."),
    namespace: elided(string()).at(2).doc("Their namespace. Absent: that of the request."),
    selector: optional(LabelSelector)
      .at(3)
      .since("1.28")
      .checked(validateLabelSelector)
      .doc("All objects with these labels are parameters, one after the other."),
    parameterNotFoundAction: optional(string())
      .at(4)
      .since("1.28")
      .openApiEnum("none")
      .required()
      .filled()
      .oneOf(["Allow", "Deny"])
      .doc("Allow or Deny: whether a request is admitted if no parameter object is found."),
  },
  { topology: "atomic" },
);
export type ParamRef = Static<typeof ParamRef>;

const ValidatingAdmissionPolicyBindingSpec = struct("admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec", {
  policyName: elided(string())
    .listed(true, "1.36")
    .at(1)
    .required()
    .named("subdomain")
    .doc("The name of the policy. It need not exist yet."),
  paramRef: optional(ParamRef).at(2).doc("The parameters of the policy."),
  matchResources: optional(MatchResources)
    .at(3)
    .doc("The requests that the binding is about, among those of the policy."),
  validationActions: elided(list(string().openApiEnum(knownActions), { topology: "set" }))
    .listed(true, "1.36")
    .at(4)
    .since("1.27")
    .required()
    .checked(validateActions)
    .doc("What happens to requests that do not fulfil the policy: Deny, Warn, Audit."),
});

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
    spec: ValidatingAdmissionPolicyBindingSpec.at(2)
      .listed(false)
      .from("1.26", elided)
      .listed(true, "1.36")
      .doc("The policy, where it applies, and what it does there."),
  },
  unconditionalUpdate: false,
  plainFinalizers: true,
  generation: true,
  relations: [on(ParamRef, nameOrSelector)],
  columns: (column) => [
    nameColumn,
    column("PolicyName", ({ spec }) => spec.policyName ?? ""),
    column("ParamRef", ({ spec }) => paramRefText(spec.paramRef)),
    ageColumn,
  ],
});
export type ValidatingAdmissionPolicyBinding = Static<typeof ValidatingAdmissionPolicyBinding>;

export function paramRefText(paramRef: ParamRef | undefined): string {
  if (paramRef === undefined) return "<unset>";
  if (paramRef.name === undefined) return paramRef.namespace ? `${paramRef.namespace}/*` : "*";
  return paramRef.namespace ? `${paramRef.namespace}/${paramRef.name}` : `*/${paramRef.name}`;
}

function validateActions(actions: readonly string[]): FieldErrors {
  const repeated = repeats(actions);
  const errors = ofEach(actions, (action, index) => {
    if (!knownActions.includes(action)) return [notSupported(`[${index}]`, action, knownActions)];
    return repeated.has(index) ? [duplicate(`[${index}]`, action)] : noErrors;
  });
  const isBoth = actions.includes("Deny") && actions.includes("Warn");
  return isBoth ? [...errors, invalid("", actions, "must not contain both Deny and Warn")] : errors;
}

/** Either a name or a selector says which objects are parameters. */
export function nameOrSelector({ name = "", selector }: ParamRef): FieldErrors {
  if (name === "") return selector === undefined ? [required("", "must have a name or a selector")] : noErrors;
  if (selector === undefined) return noErrors;
  return [
    forbidden("name", "must not be given with a selector"),
    forbidden("selector", "must not be given with a name"),
  ];
}
