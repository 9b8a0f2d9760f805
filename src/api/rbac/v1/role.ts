/** A Role is a list of permissions within one namespace. */

import { list, type Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { PolicyRule, withoutEmptyRules } from "./rules.ts";
import { roleRelations } from "./validate-rbac.ts";

export const Role = kind({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "Role",
  resource: "roles",
  scope: "Namespaced",
  typeName: "rbac.v1.Role",
  doc: "A Role is a list of permissions within one namespace.",
  fields: {
    rules: list(PolicyRule, { keepsEmpty: true })
      .listed(false)
      .at(2)
      .doc("The rules of the role; each grants verbs on resources of the namespace. Null: the role grants nothing."),
  },
  name: "pathSegment",
  createOnUpdate: true,
  complete: withoutEmptyRules,
  relations: roleRelations("namespace"),
});
export type Role = Static<typeof Role>;
