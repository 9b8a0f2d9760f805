/** ClusterRoleBinding in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { ClusterRoleBinding as Hub } from "../v1/cluster-role-binding.ts";

export const ClusterRoleBinding = version(Hub, {
  version: "v1beta1",
  typeName: "rbac.v1beta1.ClusterRoleBinding",
  deprecated: { since: "1.17", removed: "1.22", replacement: "rbac.authorization.orch.io/v1 ClusterRoleBinding" },
});
