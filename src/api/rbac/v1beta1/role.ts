/** Role in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { Role as Hub } from "../v1/role.ts";

export const Role = version(Hub, {
  version: "v1beta1",
  typeName: "rbac.v1beta1.Role",
  deprecated: { since: "1.17", removed: "1.22", replacement: "rbac.authorization.orch.io/v1 Role" },
});
