/** A ClusterRole is a list of permissions that may be granted anywhere. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, optional, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { LabelSelector } from "../../meta/label-selector.ts";
import { PolicyRule } from "./rules.ts";

export const AggregationRule = struct("rbac.v1.AggregationRule", {
  clusterRoleSelectors: elided(list(LabelSelector)).at(1),
});
export type AggregationRule = Static<typeof AggregationRule>;

export const ClusterRole = kind({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "ClusterRole",
  resource: "clusterroles",
  scope: "Cluster",
  typeName: "rbac.v1.ClusterRole",
  doc: "A ClusterRole is a list of permissions that may be granted anywhere.",
  fields: {
    rules: elided(list(PolicyRule)).at(2),
    aggregationRule: optional(AggregationRule).at(3),
  },
});
export type ClusterRole = Static<typeof ClusterRole>;
