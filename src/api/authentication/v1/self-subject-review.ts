/** A SelfSubjectReview tells callers who they are for this server, after impersonation. */

import { elided, type Static, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { UserInfo } from "./token-review.ts";

const SelfSubjectReviewStatus = struct("authentication.v1.SelfSubjectReviewStatus", {
  userInfo: elided(UserInfo).at(1).doc("The user, groups and further information of the caller."),
});

export const SelfSubjectReview = kind({
  group: "authentication.orch.io",
  version: "v1",
  kind: "SelfSubjectReview",
  resource: "selfsubjectreviews",
  scope: "Cluster",
  since: "1.28",
  verbs: ["create"],
  action: "selfsubjectreviews",
  doc: "A SelfSubjectReview tells callers who they are for this server, after impersonation.",
  fields: {
    status: elided(SelfSubjectReviewStatus).at(2).doc("Who the caller is, set by the server."),
  },
});
export type SelfSubjectReview = Static<typeof SelfSubjectReview>;
