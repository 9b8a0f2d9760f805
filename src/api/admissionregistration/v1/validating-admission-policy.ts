/** A ValidatingAdmissionPolicy refuses requests by expressions; bindings say where it applies. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { policyChecks } from "./policy-expressions.ts";
import { ValidatingAdmissionPolicySpec, ValidatingAdmissionPolicyStatus } from "./policy-spec.ts";

const checkStatus = checker(ValidatingAdmissionPolicyStatus);

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
    spec: ValidatingAdmissionPolicySpec.at(2)
      .listed(false)
      .from("1.26", elided)
      .doc("What the policy is about, and what it demands."),
    status: ValidatingAdmissionPolicyStatus.at(3)
      .since("1.27")
      .listed(false)
      .from("1.27", elided)
      .doc("What type checking found."),
  },
  unconditionalUpdate: false,
  plainFinalizers: true,
  generation: true,
  ...policyChecks,
  subresources: [
    status({ since: "1.27", validate: ({ status }, _old, environment) => checkStatus(status, "status", environment) }),
  ],
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
