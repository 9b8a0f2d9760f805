/** A RoleBinding grants a role within one namespace. */

import { elided, list, type Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { oneOfKinds, RoleRef, roleText, Subject, subjectsText } from "./rules.ts";
import { bindingRelations } from "./validate-rbac.ts";

export const RoleBinding = kind({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "RoleBinding",
  resource: "rolebindings",
  scope: "Namespaced",
  typeName: "rbac.v1.RoleBinding",
  doc: "A RoleBinding grants a role within one namespace.",
  fields: {
    subjects: elided(list(Subject))
      .at(2)
      .doc("The users, groups and service accounts that get the role in this namespace. Absent: none."),
    roleRef: RoleRef.at(3)
      .checked(oneOfKinds("Role", "ClusterRole"))
      .immutable("cannot change roleRef", { isInvalid: true })
      .doc("The role that is granted; cannot be changed."),
  },
  name: "pathSegment",
  createOnUpdate: true,
  relations: bindingRelations("namespace"),
  columns: (column) => [
    nameColumn,
    column("Role", roleText),
    ageColumn,
    column("Users", subjectsText("User"), { priority: 1 }),
    column("Groups", subjectsText("Group"), { priority: 1 }),
    column("ServiceAccounts", subjectsText("ServiceAccount"), { priority: 1 }),
  ],
});
export type RoleBinding = Static<typeof RoleBinding>;
