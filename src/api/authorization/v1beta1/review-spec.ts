/** The spec and status of access reviews, in v1beta1. */

import type { Static } from "../../../machinery/schema/build.ts";
import { groupsField, reviewSpec, reviewStatus } from "../v1/review-spec.ts";

export const SubjectAccessReviewSpec = reviewSpec("v1beta1", { group: groupsField() });
export type SubjectAccessReviewSpec = Static<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReviewStatus = reviewStatus("v1beta1");
