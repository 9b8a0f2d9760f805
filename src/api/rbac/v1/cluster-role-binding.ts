/** A ClusterRoleBinding grants a cluster role in the whole cluster. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { RoleRef, Subject } from "./rules.ts";

export const ClusterRoleBinding = kind({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  resource: "clusterrolebindings",
  scope: "Cluster",
  typeName: "rbac.v1.ClusterRoleBinding",
  doc: "A ClusterRoleBinding grants a cluster role in the whole cluster.",
  fields: {
    subjects: elided(list(Subject)).at(2),
    roleRef: RoleRef.at(3),
  },
});
export type ClusterRoleBinding = Static<typeof ClusterRoleBinding>;
