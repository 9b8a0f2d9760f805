/** ClusterRole in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { ClusterRole as Hub } from "../v1/cluster-role.ts";

export const ClusterRole = version(Hub, {
  version: "v1alpha1",
  typeName: "rbac.v1alpha1.ClusterRole",
  until: "1.23",
});
