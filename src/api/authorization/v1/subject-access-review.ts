/** A SubjectAccessReview asks whether a user may do something. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
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
  doc: "A SubjectAccessReview asks whether a user may do something.",
  fields: {
    spec: SubjectAccessReviewSpec.at(2).doc("The desired state of the subject access review, set by its users."),
    status: elided(SubjectAccessReviewStatus)
      .at(3)
      .doc("The most recently observed state of the subject access review, written by the system."),
  },
});
export type SubjectAccessReview = Static<typeof SubjectAccessReview>;
