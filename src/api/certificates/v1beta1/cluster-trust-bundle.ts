/** ClusterTrustBundle in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { ClusterTrustBundle as Hub } from "../v1/cluster-trust-bundle.ts";

export const ClusterTrustBundle = version(Hub, {
  version: "v1beta1",
  since: "1.33",
  deprecated: { since: "1.37", removed: "1.40", replacement: "certificates.orch.io/v1 ClusterTrustBundle" },
});
