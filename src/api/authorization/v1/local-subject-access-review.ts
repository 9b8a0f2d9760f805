/** A LocalSubjectAccessReview asks whether a user may do something in one namespace. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
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
  doc: "A LocalSubjectAccessReview asks whether a user may do something in one namespace.",
  fields: {
    spec: SubjectAccessReviewSpec.at(2).doc("The desired state of the local subject access review, set by its users."),
    status: elided(SubjectAccessReviewStatus)
      .at(3)
      .doc("The most recently observed state of the local subject access review, written by the system."),
  },
});
export type LocalSubjectAccessReview = Static<typeof LocalSubjectAccessReview>;
