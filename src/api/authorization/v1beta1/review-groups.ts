/** v1beta1 calls the groups of a review `group`; everything else is the same. */

import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { SubjectAccessReviewSpec as HubSpec, SubjectAccessReviewStatus } from "../v1/review-spec.ts";
import type { SubjectAccessReviewSpec } from "./review-spec.ts";

interface Review<Spec> {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: Spec;
  status?: SubjectAccessReviewStatus;
}

export function groupToGroups(review: Review<SubjectAccessReviewSpec>): Review<HubSpec> {
  const { group, ...spec } = review.spec;
  return { ...review, spec: group === undefined ? spec : { ...spec, groups: group } };
}

export function groupsToGroup(review: Review<HubSpec>): Review<SubjectAccessReviewSpec> {
  const { groups, ...spec } = review.spec;
  return { ...review, spec: groups === undefined ? spec : { ...spec, group: groups } };
}
