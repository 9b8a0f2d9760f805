/** A SubjectAccessReview checks whether a user may do something. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from "./review-spec.ts";

export const SubjectAccessReview = kind({
  group: "authorization.orch.io",
  version: "v1",
  kind: "SubjectAccessReview",
  resource: "subjectaccessreviews",
  scope: "Cluster",
  verbs: ["create"],
  action: "subjectaccessreviews",
  doc: "A SubjectAccessReview checks whether a user may do something.",
  fields: {
    spec: SubjectAccessReviewSpec.at(2).doc("The user and the request to check."),
    status: elided(SubjectAccessReviewStatus).at(3).doc("Whether the user may make the request, set by the server."),
  },
});
export type SubjectAccessReview = Static<typeof SubjectAccessReview>;
