/** A MutatingAdmissionPolicyBinding applies a policy to requests, with parameters. */

import { elided, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { on } from "../../../machinery/schema/constraints.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { ParamRef as HubParamRef, nameOrSelector, paramRefText } from "../v1/validating-admission-policy-binding.ts";
import { inV1beta1, MatchResources, mutableOperationsOnly } from "./mutating-policy-spec.ts";

const ParamRef = inV1beta1(HubParamRef);

export const MutatingAdmissionPolicyBindingSpec = struct(
  "admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec",
  {
    policyName: elided(string())
      .at(1)
      .required()
      .named("subdomain")
      .doc("The name of the policy. It need not exist yet."),
    paramRef: optional(ParamRef).at(2).doc("The parameters of the policy."),
    matchResources: optional(MatchResources)
      .at(3)
      .doc("The requests that the binding is about, among those of the policy."),
  },
);

export const MutatingAdmissionPolicyBinding = kind({
  group: "admissionregistration.orch.io",
  version: "v1beta1",
  since: "1.34",
  deprecated: {
    since: "1.37",
    removed: "1.40",
    replacement: "admissionregistration.orch.io/v1 MutatingAdmissionPolicyBinding",
  },
  kind: "MutatingAdmissionPolicyBinding",
  resource: "mutatingadmissionpolicybindings",
  scope: "Cluster",
  categories: ["api-extensions"],
  doc: "A MutatingAdmissionPolicyBinding applies a policy to requests.",
  fields: {
    spec: MutatingAdmissionPolicyBindingSpec.at(2)
      .listed(false)
      .from("1.32", elided)
      .doc("The policy, and where it applies."),
  },
  unconditionalUpdate: false,
  plainFinalizers: true,
  generation: true,
  relations: [on(ParamRef, nameOrSelector), mutableOperationsOnly],
  columns: (column) => [
    nameColumn,
    column("PolicyName", ({ spec }) => spec.policyName ?? ""),
    column("ParamRef", ({ spec }) => paramRefText(spec.paramRef)),
    ageColumn,
  ],
});
export type MutatingAdmissionPolicyBinding = Static<typeof MutatingAdmissionPolicyBinding>;
