/** A SelfSubjectAccessReview checks whether the caller may do something. */

import { elided, optional, type Static, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { NonResourceAttributes, ResourceAttributes, SubjectAccessReviewStatus } from "./review-spec.ts";

export const SelfSubjectAccessReviewSpec = struct("authorization.v1.SelfSubjectAccessReviewSpec", {
  resourceAttributes: optional(ResourceAttributes)
    .at(1)
    .doc(
      "The request for a resource to ask about; exactly one of resourceAttributes and nonResourceAttributes must be set.",
    ),
  nonResourceAttributes: optional(NonResourceAttributes)
    .at(2)
    .doc("The request for a path that is not a resource to ask about; exactly one of the two must be set."),
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
  doc: "A SelfSubjectAccessReview checks whether the caller may do something.",
  fields: {
    spec: SelfSubjectAccessReviewSpec.at(2).doc("The request to check for the caller."),
    status: elided(SubjectAccessReviewStatus).at(3).doc("Whether the caller may make the request, set by the server."),
  },
});
export type SelfSubjectAccessReview = Static<typeof SelfSubjectAccessReview>;
