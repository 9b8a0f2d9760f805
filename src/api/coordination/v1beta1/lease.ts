/** Lease in v1beta1: the same shape as v1. */

import { version } from "../../../machinery/schema/kind.ts";
import { Lease as Hub } from "../v1/lease.ts";

export const Lease = version(Hub, {
  version: "v1beta1",
  deprecated: { since: "1.19", removed: "1.22", replacement: "coordination.orch.io/v1 Lease" },
});
