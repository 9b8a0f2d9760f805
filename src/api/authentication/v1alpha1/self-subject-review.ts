/** SelfSubjectReview in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { SelfSubjectReview as Hub } from "../v1/self-subject-review.ts";

export const SelfSubjectReview = version(Hub, {
  version: "v1alpha1",
  since: "1.26",
  until: "1.32",
  deprecated: { since: "1.28", removed: "1.31" },
  from: { "1.27": { deprecated: { since: "1.29", removed: "1.32" } } },
  behind: "APISelfSubjectReview",
  retyped: { keeps: ["UserInfo"] },
});
