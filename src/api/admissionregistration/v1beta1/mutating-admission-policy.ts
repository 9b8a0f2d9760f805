/** A MutatingAdmissionPolicy changes objects by expressions before they are stored; bindings say where it applies. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { MutatingAdmissionPolicySpec, mutableOperationsOnly } from "./mutating-policy-spec.ts";
import { mutatingPolicyChecks } from "./mutation-expressions.ts";

export const MutatingAdmissionPolicy = kind({
  group: "admissionregistration.orch.io",
  version: "v1beta1",
  since: "1.34",
  deprecated: {
    since: "1.37",
    removed: "1.40",
    replacement: "admissionregistration.orch.io/v1 MutatingAdmissionPolicy",
  },
  kind: "MutatingAdmissionPolicy",
  resource: "mutatingadmissionpolicies",
  scope: "Cluster",
  categories: ["api-extensions"],
  doc: "A MutatingAdmissionPolicy changes objects by expressions.",
  fields: {
    spec: MutatingAdmissionPolicySpec.at(2)
      .listed(false)
      .from("1.32", elided)
      .doc("What the policy is about, and what it changes."),
  },
  unconditionalUpdate: false,
  plainFinalizers: true,
  generation: true,
  relations: [mutableOperationsOnly],
  ...mutatingPolicyChecks,
  columns: (column) => [
    nameColumn,
    column("Mutations", ({ spec }) => (spec.mutations ?? []).length, { type: "integer" }),
    column("ParamKind", ({ spec: { paramKind } }) =>
      paramKind === undefined ? "<unset>" : `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}`,
    ),
    ageColumn,
  ],
});
export type MutatingAdmissionPolicy = Static<typeof MutatingAdmissionPolicy>;
