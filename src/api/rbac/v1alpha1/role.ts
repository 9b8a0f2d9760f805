/** Role in v1alpha1: the shape of v1, with the numbers of its own rules. */

import { list } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { Role as Hub } from "../v1/role.ts";
import { PolicyRule } from "./rules.ts";

export const Role = version(Hub, {
  version: "v1alpha1",
  typeName: "rbac.v1alpha1.Role",
  fields: {
    rules: list(PolicyRule, { keepsEmpty: true })
      .listed(false)
      .at(2)
      .doc("The rules of the role; each grants verbs on resources of the namespace. Null: the role grants nothing."),
  },
  until: "1.23",
});
