/** A SelfSubjectAccessReview asks whether the caller may do something. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, optional, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { NonResourceAttributes, ResourceAttributes, SubjectAccessReviewStatus } from "./review-spec.ts";

export const SelfSubjectAccessReviewSpec = struct("authorization.v1.SelfSubjectAccessReviewSpec", {
  resourceAttributes: optional(ResourceAttributes).at(1),
  nonResourceAttributes: optional(NonResourceAttributes).at(2),
});
export type SelfSubjectAccessReviewSpec = Static<typeof SelfSubjectAccessReviewSpec>;

export const SelfSubjectAccessReview = kind({
  group: "authorization.orch.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  resource: "selfsubjectaccessreviews",
  scope: "Cluster",
  verbs: ["create"],
  action: "selfsubjectaccessreviews",
  doc: "A SelfSubjectAccessReview asks whether the caller may do something.",
  fields: {
    spec: SelfSubjectAccessReviewSpec.at(2),
    status: elided(SubjectAccessReviewStatus).at(3),
  },
});
export type SelfSubjectAccessReview = Static<typeof SelfSubjectAccessReview>;
