/** SelfSubjectReview in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { SelfSubjectReview as Hub } from "../v1/self-subject-review.ts";

export const SelfSubjectReview = version(Hub, {
  version: "v1beta1",
  since: "1.27",
  deprecated: { since: "1.30", removed: "1.33" },
  behind: "APISelfSubjectReview",
  retyped: { keeps: ["UserInfo"] },
});
