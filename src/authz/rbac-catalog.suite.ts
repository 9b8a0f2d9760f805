/** A catalog of the four RBAC kinds alone, for tests of this room. */

import { ClusterRole } from "../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../api/rbac/v1/cluster-role-binding.ts";
import { Role } from "../api/rbac/v1/role.ts";
import { RoleBinding } from "../api/rbac/v1/role-binding.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";

// The catalog treats a kind with typed fields like any other kind.
const kinds = [ClusterRole, ClusterRoleBinding, Role, RoleBinding];

export const rbacCatalog = createCatalog(kinds, plainEnvironment({ gates: { enabled: () => false } }));
