/** RoleBinding in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { RoleBinding as Hub } from "../v1/role-binding.ts";

export const RoleBinding = version(Hub, {
  version: "v1beta1",
  typeName: "rbac.v1beta1.RoleBinding",
  deprecated: { since: "1.17", removed: "1.22", replacement: "rbac.authorization.orch.io/v1 RoleBinding" },
});
