/** TokenReview in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { TokenReview as Hub } from "../v1/token-review.ts";

export const TokenReview = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.19", removed: "1.22", replacement: "authentication.orch.io/v1 TokenReview" },
});
