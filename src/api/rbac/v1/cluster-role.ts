/** A ClusterRole is a list of permissions that may be granted anywhere. */

import { validateLabelSelector } from "../../../machinery/meta/label-selector.ts";
import { isLabelValue } from "../../../machinery/meta/names.ts";
import { elided, list, optional, type Static, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { type FieldErrors, invalid } from "../../../machinery/status/field-error.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { PolicyRule, withoutEmptyRules } from "./rules.ts";
import { roleRelations } from "./validate-rbac.ts";

export const AggregationRule = struct("rbac.v1.AggregationRule", {
  clusterRoleSelectors: elided(list(LabelSelector.checked(validateSelector)))
    .at(1)
    .required("at least one clusterRoleSelector required if aggregationRule is non-nil")
    .doc("Labels of the cluster roles whose rules are collected; a role that matches any selector counts."),
});

export const ClusterRole = kind({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "ClusterRole",
  resource: "clusterroles",
  scope: "Cluster",
  typeName: "rbac.v1.ClusterRole",
  doc: "A ClusterRole is a list of permissions that may be granted anywhere.",
  fields: {
    rules: list(PolicyRule, { keepsEmpty: true })
      .listed(false)
      .at(2)
      .doc("The rules of the role; each grants verbs on resources or paths. Null: the role grants nothing."),
    aggregationRule: optional(AggregationRule)
      .at(3)
      .doc("Which other cluster roles the rules are collected from; rules is then overwritten by the controller."),
  },
  name: "pathSegment",
  createOnUpdate: true,
  complete: withoutEmptyRules,
  relations: roleRelations("cluster"),
});
export type ClusterRole = Static<typeof ClusterRole>;

/** v1.21 checks twice: the parts, and whether they form a valid selector, including values. */
function validateSelector(selector: LabelSelector, path: string): FieldErrors {
  const problems = validateLabelSelector(selector, path);
  const values = [
    ...Object.values(selector.matchLabels ?? {}),
    ...(selector.matchExpressions ?? []).flatMap((expression) => expression.values ?? []),
  ];
  const isUsable = problems.length === 0 && values.every((value) => isLabelValue(value).length === 0);
  return isUsable ? problems : [invalid(path, "<selector>", "must be a valid label selector"), ...problems];
}
