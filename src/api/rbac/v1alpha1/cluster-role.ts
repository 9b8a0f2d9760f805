/** ClusterRole in v1alpha1: the shape of v1, with the numbers of its own rules. */

import { list, optional } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { AggregationRule, ClusterRole as Hub } from "../v1/cluster-role.ts";
import { inV1alpha1, PolicyRule } from "./rules.ts";

export const ClusterRole = version(Hub, {
  version: "v1alpha1",
  typeName: "rbac.v1alpha1.ClusterRole",
  fields: {
    rules: list(PolicyRule, { keepsEmpty: true })
      .listed(false)
      .at(2)
      .doc("The rules of the role; each grants verbs on resources or paths. Null: the role grants nothing."),
    aggregationRule: optional(inV1alpha1(AggregationRule))
      .at(3)
      .doc("Which other cluster roles the rules are collected from; rules is then overwritten by the controller."),
  },
  until: "1.23",
});
