/** A Role is a list of permissions within one namespace. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { PolicyRule } from "./rules.ts";

export const Role = kind({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "Role",
  resource: "roles",
  scope: "Namespaced",
  typeName: "rbac.v1.Role",
  doc: "A Role is a list of permissions within one namespace.",
  fields: {
    rules: elided(list(PolicyRule)).at(2),
  },
});
export type Role = Static<typeof Role>;
