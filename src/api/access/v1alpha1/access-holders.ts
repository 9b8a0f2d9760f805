/** AccessHolders lists who may do something. */

import { bool, elided, list, renamed, type Static, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { SelfSubjectAccessReviewSpec } from "../../authorization/v1/self-subject-access-review.ts";
import { AccessPath } from "./access-path.ts";

const AccessHoldersSpec = renamed("access.v1alpha1.AccessHoldersSpec", SelfSubjectAccessReviewSpec);

export const AccessHoldersStatus = struct("access.v1alpha1.AccessHoldersStatus", {
  holders: elided(list(AccessPath))
    .at(1)
    .doc("Every subject that roles allow the request, with the binding, role and rule that allow it."),
  incomplete: elided(bool()).at(2).doc("Whether there are more holders than are listed."),
});
export type AccessHoldersStatus = Static<typeof AccessHoldersStatus>;

export const AccessHolders = kind({
  group: "access.orch.io",
  version: "v1alpha1",
  kind: "AccessHolders",
  resource: "accessholders",
  scope: "Cluster",
  verbs: ["create"],
  action: "accessholders",
  doc: "AccessHolders lists who may do something.",
  fields: {
    spec: AccessHoldersSpec.at(2).doc("The request whose holders are listed."),
    status: elided(AccessHoldersStatus)
      .at(3)
      .doc("The users, groups and accounts that may make the request, set by the server."),
  },
});
export type AccessHolders = Static<typeof AccessHolders>;
