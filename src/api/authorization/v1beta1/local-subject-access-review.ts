/** A LocalSubjectAccessReview checks whether a user may do something in one namespace. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { LocalSubjectAccessReview as Hub } from "../v1/local-subject-access-review.ts";
import { groupsToGroup, groupToGroups } from "./review-groups.ts";
import { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from "./review-spec.ts";

export const LocalSubjectAccessReview = version(Hub, {
  version: "v1beta1",
  verbs: ["create"],
  fields: {
    spec: SubjectAccessReviewSpec.at(2).doc("The user and the request to check, in the namespace of the review."),
    status: elided(SubjectAccessReviewStatus).at(3).doc("Whether the user may make the request, set by the server."),
  },
  toHub: groupToGroups,
  fromHub: groupsToGroup,
  deprecated: { since: "1.19", removed: "1.22", replacement: "authorization.orch.io/v1 LocalSubjectAccessReview" },
});
export type LocalSubjectAccessReview = Static<typeof LocalSubjectAccessReview>;
