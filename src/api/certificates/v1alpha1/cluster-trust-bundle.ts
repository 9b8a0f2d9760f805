/** ClusterTrustBundle in v1alpha1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { ClusterTrustBundle as Hub } from "../v1/cluster-trust-bundle.ts";

export const ClusterTrustBundle = version(Hub, {
  version: "v1alpha1",
  since: "1.27",
  until: "1.37",
  deprecated: { since: "1.29", removed: "1.32" },
  from: { "1.32": { deprecated: { since: "1.34", removed: "1.37" } } },
});
