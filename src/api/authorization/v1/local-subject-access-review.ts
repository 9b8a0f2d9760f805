/** A LocalSubjectAccessReview checks whether a user may do something in one namespace. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from "./review-spec.ts";

export const LocalSubjectAccessReview = kind({
  group: "authorization.orch.io",
  version: "v1",
  kind: "LocalSubjectAccessReview",
  resource: "localsubjectaccessreviews",
  scope: "Namespaced",
  verbs: ["create"],
  action: "localsubjectaccessreviews",
  doc: "A LocalSubjectAccessReview checks whether a user may do something in one namespace.",
  fields: {
    spec: SubjectAccessReviewSpec.at(2).doc("The user and the request to check, in the namespace of the review."),
    status: elided(SubjectAccessReviewStatus).at(3).doc("Whether the user may make the request, set by the server."),
  },
});
export type LocalSubjectAccessReview = Static<typeof LocalSubjectAccessReview>;
