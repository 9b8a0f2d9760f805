/** A catalog of the four RBAC kinds alone, for tests of this room. */

import { ClusterRole } from "../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../api/rbac/v1/cluster-role-binding.ts";
import { Role } from "../api/rbac/v1/role.ts";
import { RoleBinding } from "../api/rbac/v1/role-binding.ts";
import { createCatalog } from "../machinery/schema/bind.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";

// A kind of known fields is one of any as far as the catalog is concerned.
const kinds = [ClusterRole, ClusterRoleBinding, Role, RoleBinding];

export const rbacCatalog = createCatalog(kinds, plainEnvironment({ gates: { enabled: () => false } }));
