/** SelfSubjectAccessReview in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { SelfSubjectAccessReview as Hub } from "../v1/self-subject-access-review.ts";

export const SelfSubjectAccessReview = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.19", removed: "1.22", replacement: "authorization.orch.io/v1 SelfSubjectAccessReview" },
});
