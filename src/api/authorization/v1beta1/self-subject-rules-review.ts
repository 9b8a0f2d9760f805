/** SelfSubjectRulesReview in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { SelfSubjectRulesReview as Hub } from "../v1/self-subject-rules-review.ts";

export const SelfSubjectRulesReview = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.19", removed: "1.22", replacement: "authorization.orch.io/v1 SelfSubjectRulesReview" },
});
