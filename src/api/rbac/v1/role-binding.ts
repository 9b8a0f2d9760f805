/** A RoleBinding grants a role within one namespace. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { RoleRef, Subject } from "./rules.ts";

export const RoleBinding = kind({
  group: "rbac.authorization.orch.io",
  version: "v1",
  kind: "RoleBinding",
  resource: "rolebindings",
  scope: "Namespaced",
  typeName: "rbac.v1.RoleBinding",
  doc: "A RoleBinding grants a role within one namespace.",
  fields: {
    subjects: elided(list(Subject)).at(2),
    roleRef: RoleRef.at(3),
  },
});
export type RoleBinding = Static<typeof RoleBinding>;
