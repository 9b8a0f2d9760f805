/** Role in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { Role as Hub } from "../v1/role.ts";

export const Role = version(Hub, {
  version: "v1alpha1",
  typeName: "rbac.v1alpha1.Role",
  until: "1.23",
});
